// Rows of a result with the clouds that they are judged by: whole clouds, or the points of larger ones that rows need.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "kann/accuracy.hpp"
#include "kann/groups.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"

#include "products/accuracy/coordinates.hpp"
#include "products/accuracy/judged_row.hpp"
#include "products/accuracy/periodic.hpp"
#include "products/accuracy/written_distance.hpp"

namespace kann::accuracy {

/// Compares d² with R² by the definition of SearchOptions::radius: from the coordinates as given, not from scaled ones,
/// since a judge has another scale for every pair of clouds.
class Radius {
 public:
  /// Without a radius, no point is excluded. Both clouds must outlive this object. @param scale that of d²
  Radius(std::optional<double> radius, const PointsView& data, const PointsView& queries, const PeriodicCell& cell,
         double scale);

  /// The same radius among other data.
  Radius among(const PointsView& data) const {
    Radius other = *this;
    other.data_ = {data, 1};
    return other;
  }

  /// Whether data point `id` is farther than the radius from `query`, at a scaled d². Both must be valid.
  bool excludes(std::int64_t query, std::int64_t id, double sq_dist) const;

 private:
  bool is_limited_;
  double factor_ = 1, sq_radius_ = 0, scaled_sq_radius_ = 0;
  Coordinates data_, queries_;
  PeriodicCell cell_;
};

struct JudgedRows {
  PointsView data;                                ///< at least the points that the rows name
  PointsView queries;                             ///< one per row
  Rows rows;                                      ///< with k places each; ids are row numbers in the whole data
  std::optional<Rows> reference = {};             ///< the same way; none: the rows are compared with the exact ones
  std::span<const std::int64_t> data_rows = {};   ///< row numbers of `data`, ascending; empty: they are all of the data
  std::span<const std::int64_t> query_rows = {};  ///< row numbers of the queries, ascending; empty: from rows.first on
};

/// The data points that are no neighbours of a query.
struct LeftOut {
  /// The query itself, as a data point; −1: it is none, or a neighbour like others. Its images, where all count, are
  /// known without a search.
  std::int64_t own = -1;
  std::span<const std::int64_t> labels = {};  ///< of the data, as Groups has them; empty: there are no groups
  std::int64_t label = -1;                    ///< of the query
  GroupRule rule = GroupRule::same;
  std::span<const std::int64_t> sets = {};  ///< of the labels, likewise

  bool has_group_of(std::int64_t id) const {
    if (labels.empty()) return false;
    const std::int64_t of_id = labels[static_cast<std::size_t>(id)];
    if (label < 0 || of_id < 0 || (of_id == label) != (rule == GroupRule::same)) return true;
    return !sets.empty() && sets[static_cast<std::size_t>(of_id)] != sets[static_cast<std::size_t>(label)];
  }
  bool has(std::int64_t id) const { return id == own || has_group_of(id); }
};

/// The groups of both clouds, and how many valid data points each has.
class GroupSizes {
 public:
  GroupSizes(const Groups& groups, const Coordinates& data);

  /// The data points that are no neighbours of a query, apart from itself.
  LeftOut left_out(std::int64_t query) const { return {-1, groups_.data, label(query), groups_.rule, groups_.sets}; }

  /// How many points are neighbours of a query. Those of the same group include the query itself.
  std::int64_t available(std::int64_t query) const;

  GroupRule rule() const { return groups_.rule; }

 private:
  std::int64_t label(std::int64_t query) const {
    return (groups_.queries.empty() ? groups_.data : groups_.queries)[static_cast<std::size_t>(query)];
  }

  /// The set of a label; without sets, all are one.
  std::int64_t set(std::int64_t label) const {
    return groups_.sets.empty() ? 0 : groups_.sets[static_cast<std::size_t>(label)];
  }

  Groups groups_;
  std::unordered_map<std::int64_t, std::int64_t> sizes_, in_sets_;  // valid data points
};

/// Both clouds where they are judged. A query has its number among the rows, a data point its place in
/// JudgedRows::data.
class JudgedClouds {
 public:
  /// What the arguments refer to must outlive this object. Groups are given for whole clouds only. Blocks.
  /// @throws Error resources, std::bad_alloc.
  JudgedClouds(const Placement& placement, const JudgedRows& rows, const AccuracyOptions& options);

  const Placement& placement() const { return placement_; }
  const JudgedRows& rows() const { return rows_; }
  const Coordinates& data() const { return data_; }
  const Coordinates& queries() const { return queries_; }
  const Radius& radius() const { return radius_; }

  /// The row number of a query in the whole result.
  std::int64_t number(std::int64_t query) const {
    return rows_.query_rows.empty() ? rows_.rows.first + query : rows_.query_rows[static_cast<std::size_t>(query)];
  }

  /// The place of the data point with a row number; −1 if it has none.
  std::int64_t place_of(std::int64_t id) const;

  /// The data points that are no neighbours of a query; `own` is a row number in the whole data.
  LeftOut left_out(std::int64_t query) const;

  /// Where all images are neighbours, the squared distances between a query that is a data point and those of its own,
  /// ascending: at least k.
  const std::vector<double>& own_images() const { return own_images_; }

  /// How many points of the whole data a valid query can have as neighbours.
  std::int64_t available(std::int64_t query) const;

  /// Says what the row of a query has in `rows`, those of the result or of the reference. Thread-safe.
  /// @throws Error bad_input: an id that is not among the data.
  void describe(std::int64_t query, const Rows& rows, JudgedRow& row) const;

 private:
  /// Where all images are neighbours: a row names those of a point in the order of their distances.
  void set_distances_of_images(std::int64_t query, std::vector<NamedPoint>& named) const;

  const Placement& placement_;
  JudgedRows rows_;
  PlacedPoints placed_data_, placed_queries_;
  Coordinates data_, queries_;  // scaled
  std::optional<GroupSizes> groups_;
  Radius radius_;
  std::optional<FloatErrors> errors_;  // of distances in rows that are not exact
  bool is_self_, includes_self_;       // queries are data points; each may be its own neighbour
  std::vector<double> own_images_;
};

}  // namespace kann::accuracy
