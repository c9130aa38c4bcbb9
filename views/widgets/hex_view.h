#pragma once

#include <QAbstractScrollArea>
#include <functional>
#include <map>
#include <memory>

#include "core/archive/archive.h"
#include "views/jobs/job_runner.h"
#include "views/theme/roles.h"
#include "views/widgets/spoken.h"

namespace pt2::views {

/// Bytes of a member as offsets, hexadecimal and text. Reads only the windows that are looked at, as jobs; what is not there yet is dotted.
class HexView : public QAbstractScrollArea, public SpokenText {
    Q_OBJECT
public:
    explicit HexView(JobRunner& jobs, QWidget* parent = nullptr);
    void setMember(std::shared_ptr<const Archive> archive, MemberIndex member);
    void clear();
    /// Every byte in view was read, or its reading failed.
    bool settled() const;
    void goTo(std::uint64_t offset);
    void setBytesPerRow(int count);  ///< for good; else 16, or 8 where 16 have no room
    void setGround(Role role);
    /// The lines in view; a member may have any size.
    QString spokenText() const override;
    QRect spokenPlace(int offset) const override;
    int spokenOffsetAt(const QPoint& point) const override;

signals:
    void failed(const pt2::Error& error);
    void settledChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    using Window = std::shared_ptr<const ByteBuffer>;
    void want();
    void adjustBars();
    int lineHeight() const;
    int rowsInView() const;
    QString lineText(std::uint64_t offset) const;
    JobRunner& jobs_;
    std::shared_ptr<const Archive> archive_;
    MemberIndex member_ = 0;
    std::uint64_t size_ = 0;
    std::map<std::uint64_t, Window> windows_;  ///< by window number; null while being read
    double rowWidth(int perRow) const;
    bool fixedPerRow_ = false;
    int reading_ = 0, generation_ = 0, perRow_ = 16;
    Role ground_ = Role::Base;
};

}  // namespace pt2::views
