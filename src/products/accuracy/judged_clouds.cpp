#include "products/accuracy/judged_clouds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kann/error.hpp"

namespace kann::accuracy {

// If the radius R is below 2⁻⁴⁰⁰, R² may be subnormal or 0. Everything is then multiplied by 2⁶⁰⁰: no difference is
// lost, and one that overflows is far beyond the radius.
Radius::Radius(std::optional<double> radius, const PointsView& data, const PointsView& queries,
               const PeriodicCell& cell, double scale)
    : is_limited_(radius.has_value()), data_(data, 1), queries_(queries, 1), cell_(cell) {
  if (!radius) return;
  scaled_sq_radius_ = *radius * scale * (*radius * scale);
  if (*radius < std::ldexp(1.0, -400)) factor_ = std::ldexp(1.0, 600);
  const double r = *radius * factor_;
  sq_radius_ = r * r;
}

bool Radius::excludes(std::int64_t query, std::int64_t id, double sq_dist) const {
  if (!is_limited_) return false;
  if (!cell_.is_by_axes()) return sq_dist > scaled_sq_radius_;  // vectors are no shorter than 1e-100
  double sum = 0;
  for (int axis = 0; axis < data_.dimensions(); ++axis) {
    const double difference = cell_.component(queries_.at(query, axis), data_.at(id, axis), axis) * factor_;
    sum = axis == 0 ? difference * difference : std::fma(difference, difference, sum);
  }
  return sum > sq_radius_;
}

GroupSizes::GroupSizes(const Groups& groups, const Coordinates& data) : groups_(groups) {
  for (std::size_t i = 0; i < groups.data.size(); ++i) {
    if (groups.data[i] < 0 || !data.is_finite(static_cast<std::int64_t>(i))) continue;
    ++sizes_[groups.data[i]];
    ++in_sets_[set(groups.data[i])];
  }
}

std::int64_t GroupSizes::available(std::int64_t query) const {
  if (label(query) < 0) return 0;
  const auto points = [](const auto& counts, std::int64_t key) {
    const auto place = counts.find(key);
    return place == counts.end() ? 0 : place->second;
  };
  const std::int64_t same = points(sizes_, label(query));
  return groups_.rule == GroupRule::same ? same : points(in_sets_, set(label(query))) - same;
}

JudgedClouds::JudgedClouds(const Placement& placement, const JudgedRows& rows, const AccuracyOptions& options)
    : placement_(placement),
      rows_(rows),
      placed_data_(placement.place(rows.data, PlacedPoints::Role::data)),
      placed_queries_(placement.place(rows.queries, PlacedPoints::Role::queries)),
      data_(placed_data_, placement.scale),
      queries_(placed_queries_, placement.scale),
      radius_(placement.radius, placed_data_, placed_queries_, placement.cell, placement.scale),
      is_self_(options.self_query),
      includes_self_(options.include_self) {
  if (options.groups) groups_.emplace(*options.groups, data_);
  const auto& [data, queries, middle] = placement.facts;
  const double scale = placement.scale;
  if (!options.exact) errors_.emplace(data, queries, middle.scaled(scale), data_.dimensions(), scale);
  if (!is_self_ || !placement.cell.has_all) return;
  own_images_ = placement.scaled_cell.smallest({}, {}, static_cast<std::size_t>(rows.rows.k) + 1);
  if (!includes_self_) own_images_.erase(own_images_.begin());
}

std::int64_t JudgedClouds::place_of(std::int64_t id) const {
  if (rows_.data_rows.empty()) return id >= 0 && id < rows_.data.size() ? id : -1;
  const auto place = std::ranges::lower_bound(rows_.data_rows, id);
  return place != rows_.data_rows.end() && *place == id ? place - rows_.data_rows.begin() : -1;
}

LeftOut JudgedClouds::left_out(std::int64_t query) const {
  LeftOut out = groups_ ? groups_->left_out(query) : LeftOut();
  if (is_self_ && (!includes_self_ || placement_.cell.has_all)) out.own = number(query);
  return out;
}

std::int64_t JudgedClouds::available(std::int64_t query) const {
  const std::int64_t all = groups_ ? groups_->available(query) : placement_.facts.data.valid;
  if (placement_.cell.has_all) return all > 0 ? rows_.rows.k : 0;  // of any point, there are so many images
  const bool has_own = is_self_ && !includes_self_ && !(groups_ && groups_->rule() == GroupRule::other);
  return std::max<std::int64_t>(0, has_own ? all - 1 : all);
}

void JudgedClouds::set_distances_of_images(std::int64_t query, std::vector<NamedPoint>& named) const {
  const std::int64_t own = left_out(query).own;
  std::unordered_map<std::int64_t, std::vector<NamedPoint*>> of_points;
  for (NamedPoint& point : named)
    if (point.id != k_missing_id && !std::isnan(point.sq_dist)) of_points[point.id].push_back(&point);
  for (const auto& [id, images] : of_points) {
    const auto sq_dists =
        id == own ? own_images_ : placement_.scaled_cell.smallest(queries_[query], data_[place_of(id)], images.size());
    for (std::size_t i = 0; i < images.size(); ++i) images[i]->sq_dist = sq_dists[i];
  }
}

void JudgedClouds::describe(std::int64_t query, const Rows& rows, JudgedRow& row) const {
  using enum NamedPoint::Standing;
  const std::array<double, 3> at = queries_[query];
  const LeftOut left_out = this->left_out(query);
  const PeriodicCell& cell = placement_.scaled_cell;
  row.number = number(query);
  row.is_valid = queries_.is_finite(query);
  row.available = available(query);
  row.named.resize(static_cast<std::size_t>(rows.k));
  for (std::size_t r = 0; r < row.named.size(); ++r) {
    const std::size_t i = static_cast<std::size_t>(query * rows.k) + r;
    NamedPoint& point = row.named[r] = {.id = rows.id(i)};
    if (!rows.distances.empty()) point.distance = rows.distances[i];
    if (point.id == k_missing_id) continue;
    const std::int64_t place = place_of(point.id);
    if (place < 0)
      throw Error(ErrorKind::bad_input, "accuracy: row " + std::to_string(row.number) + " has id " +
                                            std::to_string(point.id) + " (the data have no such point)");
    if (!row.is_valid || !data_.is_finite(place))
      point.sq_dist = std::numeric_limits<double>::quiet_NaN();
    else if (!cell.has_all)
      point.sq_dist = sq_distance_in(at.data(), data_[place].data(), cell, data_.dimensions());
  }
  if (cell.has_all) set_distances_of_images(query, row.named);
  for (NamedPoint& point : row.named) {
    if (point.id == k_missing_id) continue;
    const std::int64_t place = place_of(point.id);
    if (errors_) point.error = errors_->bound(at.data(), data_[place].data(), std::sqrt(point.sq_dist));
    const bool is_own = point.id == left_out.own && !cell.has_all;  // else these are its images
    point.standing = is_own                                          ? own
                     : left_out.has_group_of(point.id)               ? of_other_group
                     : !data_.is_finite(place)                       ? invalid
                     : radius_.excludes(query, place, point.sq_dist) ? too_far
                                                                     : neighbor;
  }
}

}  // namespace kann::accuracy
