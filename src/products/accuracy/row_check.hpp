// Whether a row of a result is right by its own definition, whatever the nearest neighbours are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "kann/groups.hpp"
#include "kann/neighbors.hpp"

#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/judged_rows.hpp"
#include "products/accuracy/periodic.hpp"
#include "products/accuracy/radius.hpp"
#include "products/accuracy/reference_tree.hpp"
#include "products/accuracy/written_distance.hpp"

namespace kann::accuracy {

/// The first fault of a row: its kind and rank.
struct RowFault {
  enum class Kind {
    not_padded,      ///< a missing neighbour (id −1) whose distance is not infinite
    after_missing,   ///< a neighbour after a missing one
    too_few,         ///< a missing neighbour although the row is exact and there are more points
    skipped_query,   ///< a neighbour of an invalid query
    own_id,          ///< the query itself in a self-query without it
    wrong_group,     ///< a point that the groups do not allow
    skipped_point,   ///< an invalid point as a neighbour
    repeated,        ///< an id twice
    wrong_distance,  ///< a distance that does not belong to the id
    not_ascending,   ///< a distance below the one before
    beyond_radius,   ///< a neighbour that is farther than the radius
  };
  Kind kind;
  std::int64_t rank;
};

/// The groups of both clouds, and how many valid data points each has.
class GroupSizes {
 public:
  GroupSizes(const Groups& groups, const Coordinates& data);

  /// The data points that are no neighbours of a query, apart from itself.
  LeftOut left_out(std::int64_t query) const { return {-1, groups_.data, label(query), groups_.rule}; }

  /// How many points are neighbours of a query. Those of the same group include the query itself.
  std::int64_t available(std::int64_t query) const;

  GroupRule rule() const { return groups_.rule; }

 private:
  std::int64_t label(std::int64_t query) const {
    return (groups_.queries.empty() ? groups_.data : groups_.queries)[static_cast<std::size_t>(query)];
  }

  Groups groups_;
  std::unordered_map<std::int64_t, std::int64_t> sizes_;
  std::int64_t in_groups_ = 0;  // valid data points that are in any group
};

/// What the rows of a result must satisfy.
struct RowRules {
  const Neighbors& neighbors;
  Coordinates data, queries;  ///< scaled
  WrittenUnit unit;
  std::int64_t valid_points = 0;       ///< of the data
  bool drop_self = false;              ///< queries are data points, and no neighbours of themselves
  bool exact = false;                  ///< distances are right bit for bit, and all neighbours are there
  std::optional<GroupSizes> groups;    ///< not with a part
  Sides sides;                         ///< sides of the periodic box, scaled
  Radius radius;                       ///< all neighbours are within it; how many there should be is not known here
  FloatErrors errors;                  ///< if not exact, distances are right within these errors
  const PartOfClouds* part = nullptr;  ///< set if `data` and `queries` are not the whole clouds

  /// The data points that are no neighbours of a query.
  LeftOut left_out(std::int64_t query) const;

  /// How many points a valid query can have as neighbours.
  std::int64_t available(std::int64_t query) const;

  /// The id of a data point in the whole cloud.
  std::int64_t given_id(std::int32_t id) const {
    return part && id >= 0 ? part->data_rows[static_cast<std::size_t>(id)] : id;
  }

  /// d² between data point `id` and a query at `point`.
  double sq_dist(const double* point, std::int64_t id) const {
    return sq_distance_in(point, data[id].data(), sides, data.dimensions());
  }
};

/// The first fault of the row of `query`. `ids` is memory, reused for the next row. Thread-safe.
std::optional<RowFault> check_row(const RowRules& rules, std::int64_t query, std::vector<std::int32_t>& ids);

/// "rank 3: distance 2 of id 17 (need 1.5)"
std::string describe(const RowFault& fault, const RowRules& rules, std::int64_t query);

}  // namespace kann::accuracy
