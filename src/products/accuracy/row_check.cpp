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

bool has_right_distance(const NamedPoint& point, const RowRules& rules) {
  const float written = point.distance;
  if (written == rules.unit(point.sq_dist)) return true;
  if (rules.exact || std::isnan(written) || written < 0) return false;
  const double exact = std::sqrt(point.sq_dist);
  if (std::isinf(written)) return (exact + point.error) * rules.unit.length > std::numeric_limits<float>::max();
  return std::abs(written / rules.unit.length - exact) <= point.error;
}

}  // namespace

std::optional<RowFault> check_row(const JudgedRow& row, const RowRules& rules, std::vector<std::int64_t>& ids) {
  using enum RowFault::Kind;
  using enum NamedPoint::Standing;
  std::int64_t present = 0;
  ids.clear();
  for (std::int64_t r = 0; r < std::ssize(row.named); ++r) {
    const NamedPoint& point = row.named[static_cast<std::size_t>(r)];
    if (point.id == k_missing_id) {
      if (point.distance != k_infinity) return RowFault{not_padded, r};
      continue;
    }
    if (!row.is_valid) return RowFault{skipped_query, r};
    if (present++ < r) return RowFault{after_missing, r};
    if (point.standing == own) return RowFault{own_id, r};
    if (point.standing == of_other_group) return RowFault{wrong_group, r};
    if (point.standing == invalid) return RowFault{skipped_point, r};
    if (!has_right_distance(point, rules)) return RowFault{wrong_distance, r};
    if (r > 0 && point.distance < row.named[static_cast<std::size_t>(r - 1)].distance)
      return RowFault{not_ascending, r};
    if (point.standing == too_far) return RowFault{beyond_radius, r};
    ids.push_back(point.id);
  }
  if (row.is_valid && rules.exact && !rules.has_radius && present < std::min(std::ssize(row.named), row.available))
    return RowFault{too_few, present};
  if (rules.has_images) return {};
  std::sort(ids.begin(), ids.end());
  if (const auto twice = std::adjacent_find(ids.begin(), ids.end()); twice != ids.end()) {
    std::int64_t r = 0;
    const auto is_there = [&](std::int64_t at) { return row.named[static_cast<std::size_t>(at)].id == *twice; };
    for (int seen = is_there(0); seen < 2; seen += is_there(r)) ++r;
    return RowFault{repeated, r};
  }
  return {};
}

std::string describe(const RowFault& fault, const JudgedRow& row, const RowRules& rules) {
  using enum RowFault::Kind;
  const NamedPoint* const point = &row.named[static_cast<std::size_t>(fault.rank)];
  const std::string rank = "rank " + std::to_string(fault.rank) + ": ";
  const std::string id = "id " + std::to_string(point->id);
  const float distance = point->distance;
  switch (fault.kind) {
    case not_padded:
      return rank + "distance " + text(distance) + " of " + id + " (need inf)";
    case after_missing:
      return rank + id + " after id -1";
    case too_few:
      return rank + "id -1 (need " + std::to_string(std::min(std::ssize(row.named), row.available)) + " neighbours)";
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
      return rank + "distance " + text(distance) + " of " + id + " (need " + text(rules.unit(point->sq_dist)) + ")";
    case not_ascending:
      return rank + "distance " + text(distance) + " after " + text(point[-1].distance);
    case beyond_radius:
      return rank + id + " is farther than the radius (distance " + text(distance) + ")";
  }
  return rank;
}

}  // namespace kann::accuracy
