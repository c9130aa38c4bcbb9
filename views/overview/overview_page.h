#pragma once

#include "views/frame/page.h"

class QGridLayout;
class QVBoxLayout;

namespace pt2::views {

class Banner;
class Card;
class ContractCard;
class FlowLayout;
class NumberStrip;
class ShareBar;
class TextLabel;
class ModulesCard;
class VerdictCard;

/// The passport of a file: what it is, how big, what a caller gives and gets, whether it runs here, where its bytes go, who made it, what next.
class OverviewPage : public Page {
    Q_OBJECT
public:
    explicit OverviewPage(DocumentSession& session, QWidget* parent = nullptr);
    void documentChanged() override;
    bool settled() const override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void fillTitle();
    void fillMadeBy();
    void fillNext();
    void saveRepaired();
    void saveRepairedAs(const QString& target);
    void hashFile();
    TextLabel *name_, *path_, *line_;
    QWidget* chips_;
    NumberStrip* numbers_;
    ContractCard* contract_;
    VerdictCard* verdict_;
    ModulesCard* modules_;
    Card *bytes_, *madeBy_, *next_;
    Banner* told_;  ///< what became of a copy
    ShareBar* shares_;
    QWidget* madeByList_ = nullptr;
    TextLabel* hash_ = nullptr;
    QWidget* cards_;
    QGridLayout* grid_;
    int columns_ = 0;
};

}  // namespace pt2::views
