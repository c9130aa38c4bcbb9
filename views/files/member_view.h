#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "views/files/member_kind.h"
#include "views/frame/document_session.h"
#include "views/widgets/syntax.h"

class QBoxLayout;
class QStackedWidget;

namespace pt2::views {

class CodeView;
class ErrorPanel;
class HexView;
class SegmentedSwitch;
class TextLabel;

/// One member with a fitting viewer: its content taken apart, highlighted text, indented JSON, or bytes. Text is read as a job, bytes in windows.
class MemberView : public QWidget {
    Q_OBJECT
public:
    explicit MemberView(DocumentSession& session, QWidget* parent = nullptr);
    void show(std::shared_ptr<const Package> package, MemberIndex member);
    void clear();
    bool settled() const;
    void find();

signals:
    void settledChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum class Form { Content, Text, Hex };
    void offer(std::vector<Form> forms, Form first);
    void showForm(Form form);
    void readText();
    void showError(const Error& error);
    void copyToDisk();
    DocumentSession& session_;
    std::shared_ptr<const Package> package_;
    MemberIndex member_ = 0;
    Language language_ = Language::Plain;
    MemberKind::Content kind_ = MemberKind::Content::None;
    std::vector<Form> forms_;  ///< as the switch shows them
    bool indent_ = false, reading_ = false, wantsText_ = false;
    TextLabel *name_, *facts_, *holds_;
    QBoxLayout* head_;
    SegmentedSwitch* form_;
    QStackedWidget* stack_;
    CodeView* code_;
    HexView* hex_;
    class MemberContent* content_;
    QWidget* errorPage_;
    ErrorPanel* error_;
    QWidget* empty_;
    class FindBar* findBar_;
};

}  // namespace pt2::views
