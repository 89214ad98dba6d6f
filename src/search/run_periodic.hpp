// SearchOptions::periodic: the nearest neighbours in a periodic box.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "kann/index.hpp"
#include "kann/search.hpp"

#include "search/periodic/periodic_data.hpp"

namespace kann::detail {

/// What an index keeps of its data for the periodic box that was searched last. May be used by several threads.
class KeptPeriodicData {
 public:
  /// The data in the box; prepared by the first call and by every call with other sides than the one before. Blocks.
  std::shared_ptr<const PeriodicData> in_box(const std::vector<double>& sides, const PointsView& points,
                                             const IndexOptions& options);

 private:
  std::mutex mutex_;
  std::shared_ptr<const PeriodicData> last_;
};

/// An index, and what it keeps for periodic boxes.
struct AskedIndex {
  const Index& index;
  KeptPeriodicData& kept;
};

/// The answer to options with a periodic box. Blocks.
/// @param index the index of the data; none if the data are searched only once
/// @param queries none: the data are the queries
/// @throws Error as kann::search() does.
SearchResult run_periodic(const PointsView& data, const std::optional<AskedIndex>& index,
                          const std::optional<PointsView>& queries, const IndexOptions& of_data,
                          const SearchOptions& options);

}  // namespace kann::detail
