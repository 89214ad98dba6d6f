#include "products/accuracy/row_check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace kann::accuracy {
namespace {

constexpr float k_infinity = std::numeric_limits<float>::infinity();

/// The shortest text that reads as the same number.
std::string text(float x) {
  char digits[32];
  return {digits, std::to_chars(digits, std::end(digits), x).ptr};
}

/// A row of the result, with the point that it belongs to.
class Row {
 public:
  Row(const RowRules& rules, std::int64_t query)
      : rules_(rules), query_(query), begin_(query * rules.neighbors.k), point_(rules.queries[query]) {}

  std::int32_t id(std::int64_t rank) const { return rules_.neighbors.ids[begin_ + rank]; }
  float distance(std::int64_t rank) const { return rules_.neighbors.distances[begin_ + rank]; }
  bool is_valid() const { return rules_.queries.is_finite(query_); }

  double true_sq_distance(std::int64_t rank) const { return rules_.sq_dist(point_.data(), id(rank)); }

  bool has_right_distance(std::int64_t rank) const {
    const double sq_dist = true_sq_distance(rank);
    const float written = distance(rank);
    if (written == rules_.unit(sq_dist)) return true;
    if (rules_.exact || std::isnan(written) || written < 0) return false;
    const double exact = std::sqrt(sq_dist);
    const double bound = rules_.errors.bound(point_.data(), rules_.data[id(rank)].data(), exact);
    if (std::isinf(written)) return (exact + bound) * rules_.unit.length > std::numeric_limits<float>::max();
    return std::abs(written / rules_.unit.length - exact) <= bound;
  }

 private:
  const RowRules& rules_;
  std::int64_t query_, begin_;
  std::array<double, 3> point_;
};

}  // namespace

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

LeftOut RowRules::left_out(std::int64_t query) const {
  LeftOut out = groups ? groups->left_out(query) : LeftOut();
  if (drop_self) out.own = part ? part->place_of(part->query_rows[static_cast<std::size_t>(query)]) : query;
  return out;
}

std::int64_t RowRules::available(std::int64_t query) const {
  const std::int64_t all = groups ? groups->available(query) : valid_points;
  const bool has_own = drop_self && !(groups && groups->rule() == GroupRule::other);
  return std::max<std::int64_t>(0, has_own ? all - 1 : all);
}

std::optional<RowFault> check_row(const RowRules& rules, std::int64_t query, std::vector<std::int32_t>& ids) {
  using enum RowFault::Kind;
  const Row row(rules, query);
  const bool valid = row.is_valid();
  const LeftOut left_out = rules.left_out(query);
  std::int64_t present = 0;
  ids.clear();
  for (std::int64_t r = 0; r < rules.neighbors.k; ++r) {
    const std::int32_t id = row.id(r);
    if (id == k_missing_id) {
      if (row.distance(r) != k_infinity) return RowFault{not_padded, r};
      continue;
    }
    if (!valid) return RowFault{skipped_query, r};
    if (present++ < r) return RowFault{after_missing, r};
    if (id == left_out.own) return RowFault{own_id, r};
    if (left_out.has(id)) return RowFault{wrong_group, r};
    if (!rules.data.is_finite(id)) return RowFault{skipped_point, r};
    if (!row.has_right_distance(r)) return RowFault{wrong_distance, r};
    if (r > 0 && row.distance(r) < row.distance(r - 1)) return RowFault{not_ascending, r};
    if (rules.radius.excludes(query, id)) return RowFault{beyond_radius, r};
    ids.push_back(id);
  }
  if (valid && rules.exact && !rules.radius.is_limited() &&
      present < std::min(rules.neighbors.k, rules.available(query)))
    return RowFault{too_few, present};
  std::sort(ids.begin(), ids.end());
  if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
    std::int64_t r = 0;
    for (int seen = row.id(0) == *twice; seen < 2; seen += row.id(r) == *twice) ++r;
    return RowFault{repeated, r};
  }
  return {};
}

std::string describe(const RowFault& fault, const RowRules& rules, std::int64_t query) {
  using enum RowFault::Kind;
  const Row row(rules, query);
  const std::string rank = "rank " + std::to_string(fault.rank) + ": ";
  const std::string id = "id " + std::to_string(rules.given_id(row.id(fault.rank)));
  const float distance = row.distance(fault.rank);
  switch (fault.kind) {
    case not_padded:
      return rank + "distance " + text(distance) + " of " + id + " (need inf)";
    case after_missing:
      return rank + id + " after id -1";
    case too_few:
      return rank + "id -1 (need " + std::to_string(std::min(rules.neighbors.k, rules.available(query))) +
             " neighbours)";
    case skipped_query:
      return rank + id + " of a query with NaN or infinite coordinates (need id -1)";
    case own_id:
      return rank + id + " is the query itself";
    case wrong_group:
      return rank + id + " is not in a group that the query may have";
    case skipped_point:
      return rank + id + " has NaN or infinite coordinates";
    case repeated:
      return rank + id + " is repeated";
    case wrong_distance:
      return rank + "distance " + text(distance) + " of " + id + " (need " +
             text(rules.unit(row.true_sq_distance(fault.rank))) + ")";
    case not_ascending:
      return rank + "distance " + text(distance) + " after " + text(row.distance(fault.rank - 1));
    case beyond_radius:
      return rank + id + " is farther than the radius (distance " + text(distance) + ")";
  }
  return rank;
}

}  // namespace kann::accuracy
