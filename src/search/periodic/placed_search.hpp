// A search on the sphere or in a periodic box: checked, with both clouds at the places where they are searched.
#pragma once

#include <memory>
#include <optional>

#include "kann/index.hpp"
#include "kann/search.hpp"

#include "problem/survey.hpp"
#include "search/periodic/placed_cloud.hpp"
#include "search/periodic/placed_data.hpp"

namespace kann::detail {

struct PlacedSearch {
  /// Blocks. @param index the index of the data; none if the data are searched only once
  /// @param queries none: the data are the queries
  /// @param extent as for PlacedData, without an index
  /// @throws Error as kann::search() does.
  PlacedSearch(const PointsView& data, const std::optional<AskedIndex>& index, const std::optional<PointsView>& queries,
               const IndexOptions& of_data, const SearchOptions& options,
               const std::optional<geometry::Box>& extent = {});

  std::shared_ptr<const PlacedData> data;
  std::unique_ptr<const PlacedCloud> queries;  ///< null: the data
  problem::Survey query_survey;
  bool drops_self = false;

  const PointsView& query_points() const { return queries ? queries->points() : data->points(); }
};

}  // namespace kann::detail
