#include "products/accuracy/judged_clouds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "kann/error.hpp"

namespace kann::accuracy {

GroupSizes::GroupSizes(const Groups& groups, const Coordinates& data) : groups_(groups) {
  for (std::size_t i = 0; i < groups.data.size(); ++i) {
    if (groups.data[i] < 0 || !data.is_finite(static_cast<std::int64_t>(i))) continue;
    ++sizes_[groups.data[i]];
    ++in_groups_;
  }
}

std::int64_t GroupSizes::available(std::int64_t query) const {
  if (label(query) < 0) return 0;
  const auto place = sizes_.find(label(query));
  const std::int64_t same = place == sizes_.end() ? 0 : place->second;
  return groups_.rule == GroupRule::same ? same : in_groups_ - same;
}

JudgedClouds::JudgedClouds(const Placement& placement, const JudgedRows& rows, const AccuracyOptions& options)
    : placement_(placement),
      rows_(rows),
      placed_data_(placement.place(rows.data, PlacedPoints::Role::data)),
      placed_queries_(placement.place(rows.queries, PlacedPoints::Role::queries)),
      data_(placed_data_, placement.scale),
      queries_(placed_queries_, placement.scale),
      radius_(placement.radius, placed_data_, placed_queries_, placement.sides),
      drops_self_(options.self_query && !options.include_self) {
  if (options.groups) groups_.emplace(*options.groups, data_);
  const auto& [data, queries, middle] = placement.facts;
  const double scale = placement.scale;
  if (!options.exact) errors_.emplace(data, queries, middle.scaled(scale), data_.dimensions(), scale);
}

std::int64_t JudgedClouds::place_of(std::int64_t id) const {
  if (rows_.data_rows.empty()) return id >= 0 && id < rows_.data.size() ? id : -1;
  const auto place = std::ranges::lower_bound(rows_.data_rows, id);
  return place != rows_.data_rows.end() && *place == id ? place - rows_.data_rows.begin() : -1;
}

LeftOut JudgedClouds::left_out(std::int64_t query) const {
  LeftOut out = groups_ ? groups_->left_out(query) : LeftOut();
  if (drops_self_) out.own = number(query);
  return out;
}

std::int64_t JudgedClouds::available(std::int64_t query) const {
  const std::int64_t all = groups_ ? groups_->available(query) : placement_.facts.data.valid;
  const bool has_own = drops_self_ && !(groups_ && groups_->rule() == GroupRule::other);
  return std::max<std::int64_t>(0, has_own ? all - 1 : all);
}

void JudgedClouds::describe(std::int64_t query, const Rows& rows, JudgedRow& row) const {
  using enum NamedPoint::Standing;
  const std::array<double, 3> at = queries_[query];
  const LeftOut left_out = this->left_out(query);
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
    const std::array<double, 3> found = data_[place];
    point.sq_dist = sq_distance_in(at.data(), found.data(), placement_.scaled_sides, data_.dimensions());
    if (errors_) point.error = errors_->bound(at.data(), found.data(), std::sqrt(point.sq_dist));
    point.standing = point.id == left_out.own          ? own
                     : left_out.has_group_of(point.id) ? of_other_group
                     : !data_.is_finite(place)         ? invalid
                     : radius_.excludes(query, place)  ? too_far
                                                       : neighbor;
  }
}

}  // namespace kann::accuracy
