// SearchOptions::periodic: the nearest neighbours in a periodic box.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "kann/index.hpp"
#include "kann/search.hpp"

#include "search/periodic/periodic_data.hpp"

namespace kann::detail {

/// What an index keeps of its data for the periodic box that it was asked about last. May be used by several threads.
class KeptPeriodicData {
 public:
  /// Made by the first call, and by one for other sides. Blocks.
  std::shared_ptr<const PeriodicData> in_box(const std::vector<double>& sides, const PointsView& points,
                                             const IndexOptions& options);

 private:
  std::mutex mutex_;
  std::shared_ptr<const PeriodicData> last_;
};

/// An index that is asked.
struct AskedIndex {
  const Index& index;
  KeptPeriodicData& kept;
};

/// The answer to options with a periodic box. Blocks.
/// @param index of the data; none: they are searched once
/// @param queries none: the data
/// @throws Error as kann::search() does.
SearchResult run_periodic(const PointsView& data, const std::optional<AskedIndex>& index,
                          const std::optional<PointsView>& queries, const IndexOptions& of_data,
                          const SearchOptions& options);

}  // namespace kann::detail
