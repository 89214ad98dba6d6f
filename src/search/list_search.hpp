// All neighbours within a radius, whether or not they fit in memory together.
#pragma once

#include <cstdint>
#include <optional>

#include "kann/index.hpp"
#include "kann/points.hpp"
#include "kann/radius.hpp"

namespace kann::detail {

/// Which pairs of a self-query are listed: each in both rows, or only in that of the point with the smaller number.
enum class ListedPairs { both, half };

/// Finds the lists at once if they fit. Else it counts them, and finds them at each pass over blocks(), some queries
/// after others.
class ListSearch {
 public:
  /// Searches, or counts. Blocks. `index` must outlive this object, and so must the coordinates of the queries.
  /// @param queries none: the data, without the point itself unless SearchOptions::include_self
  /// @param most neighbours that are held at a time, unless a query has more; −1: they are only counted
  /// @throws Error as search_radius().
  ListSearch(const Index& index, const PointsView& data, const std::optional<PointsView>& queries,
             const SearchOptions& options, ListedPairs pairs, std::int64_t most);

  /// Lists that are found. Without ids, they are only counted.
  ListSearch(RadiusResult found, std::int64_t data_points, ListedPairs pairs);
  ListSearch(const ListSearch&) = delete;
  ListSearch& operator=(const ListSearch&) = delete;

  const SearchReport& report() const { return result_.report; }
  std::int64_t neighbors() const { return result_.lists.neighbors(); }

  /// Whether all lists are in memory.
  bool is_whole() const { return is_whole_; }

  /// The lists. Each pass over them blocks, and throws as the constructor does. They refer to this object.
  RowBlocks blocks() const;

 private:
  void keep_half();
  void keep_half_of_counts();
  void for_each(const RowBlocks::Sink& sink) const;
  void for_each_part(const RowBlocks::Sink& sink) const;

  const Index* const index_;  ///< null, if all lists are found
  const std::int64_t data_points_;
  const PointsView queries_;
  const bool is_self_ = true;
  SearchOptions options_;
  const ListedPairs pairs_;
  const std::int64_t most_ = -1;
  bool is_whole_ = false;
  RadiusResult result_;
  Array<std::int64_t> found_begins_;  ///< as the search finds the rows, if result_ lists half of the pairs
};

}  // namespace kann::detail
