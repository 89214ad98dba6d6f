// What an index keeps of its data for the periodic box that was searched last.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "kann/index.hpp"

#include "search/periodic/periodic_data.hpp"

namespace kann::detail {

/// May be used by several threads.
class KeptPeriodicData {
 public:
  /// The data in the box; prepared by the first call and by every call with other sides than the one before. Blocks.
  std::shared_ptr<const PeriodicData> in_box(const std::vector<double>& sides, const PointsView& points,
                                             const IndexOptions& options) {
    const std::lock_guard lock(mutex_);
    if (!last_ || last_->sides() != sides) {
      last_.reset();  // frees the memory before more is allocated
      last_ = std::make_shared<const PeriodicData>(points, options, sides, true);
    }
    return last_;
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const PeriodicData> last_;
};

/// An index, and what it keeps for periodic boxes.
struct AskedIndex {
  const Index& index;
  KeptPeriodicData& kept;
};

}  // namespace kann::detail
