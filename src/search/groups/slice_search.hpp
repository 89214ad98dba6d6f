// The neighbours of the queries of one slice in another: by one thread, if these are small, or even by brute force.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kann/groups.hpp"
#include "kann/neighbors.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "geometry/box.hpp"
#include "geometry/periodic_box.hpp"
#include "search/groups/slice.hpp"
#include "search/periodic/placement.hpp"
#include "search/rows/candidates.hpp"

namespace kann::detail {

class SliceSearch {
 public:
  /// @param options exact, without SearchOptions::sky
  /// @param extent around the data that the slices are parts of
  /// @param rule same: slices are groups, of which several threads search one each
  SliceSearch(const SearchOptions& options, const geometry::Box& extent, GroupRule rule);

  /// Whether there are so few points that one thread is enough: several threads may call the functions below for such
  /// slices.
  bool is_small(std::int64_t points, std::int64_t queries) const;

  /// Rows of `k` neighbours each; ids are places in `data`. @param are_own whether both slices have the same points of
  /// a cloud that is searched for its own neighbours
  Neighbors nearest(const Slice& data, const Slice& queries, bool are_own, std::int64_t k);

  /// All neighbours within the radius, likewise, or only their numbers.
  NeighborLists within(const Slice& data, const Slice& queries, bool are_own, bool only_counts);

  /// d² of the neighbours in the row of a query, in float64.
  void sq_distances(const Slice& queries, std::int64_t query, const Slice& data, std::span<const std::int32_t> ids,
                    std::span<const float> distances, std::vector<double>& out) const;

  /// What the first search has reported that was not small, or one without points.
  SearchReport report();

 private:
  bool finds_all(const Slice& data, const Slice& queries, bool are_own, std::size_t most,
                 const std::function<void(const std::vector<Candidate>&)>& take) const;
  SearchOptions options_of(bool is_small) const;
  void keep(SearchReport report);

  SearchOptions options_;
  const std::int64_t few_points_;
  const geometry::Box extent_;
  std::optional<PeriodicBox> box_;
  std::optional<Placement> placement_;  ///< of all slices in the box
  std::optional<SearchReport> report_;
};

}  // namespace kann::detail
