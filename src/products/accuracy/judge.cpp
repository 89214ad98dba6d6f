#include "products/accuracy/judge.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace kann::accuracy {
namespace {

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

/// Fills `nearest` with the `count` nearest of the named points, ascending; with all of them if there are fewer.
/// Repeated ids count once, unless they are images; points that cannot be neighbours not at all.
void find_nearest_of(const std::vector<NamedPoint>& named, std::int64_t count, bool has_images,
                     std::vector<Nearest>& nearest) {
  nearest.clear();
  for (const NamedPoint& point : named)
    if (point.id != k_missing_id && point.standing == NamedPoint::Standing::neighbor)
      nearest.push_back({point.sq_dist, point.id});
  std::sort(nearest.begin(), nearest.end());
  if (!has_images) nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  if (std::ssize(nearest) > count) nearest.resize(static_cast<std::size_t>(count));
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
      if (point.distance != std::numeric_limits<float>::infinity()) return RowFault{not_padded, r};
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

void Tally::add(const Tally& other) {
  judged += other.judged;
  all_correct += other.all_correct;
  identical += other.identical;
  expected += other.expected;
  correct += other.correct;
  ratio_sum.add(other.ratio_sum);
  ratios += other.ratios;
  nearer += other.nearer;
  first_nearer = std::min(first_nearer, other.first_nearer);
  faulty += other.faulty;
  first_different = std::min(first_different, other.first_different);
  if (other.first_faulty < first_faulty) first_fault = other.first_fault;
  first_faulty = std::min(first_faulty, other.first_faulty);
}

void Judge::check(const JudgedRow& row) {
  const auto fault = check_row(row, rules_, ids_);
  if (!fault) return;
  ++tally_.faulty;
  if (row.number > tally_.first_faulty) return;
  tally_.first_faulty = row.number;
  tally_.first_fault = describe(*fault, row, rules_);
}

void Judge::compare(const JudgedRow& row, const JudgedRow& reference) {
  find_nearest_of(reference.named, compared_, rules_.has_images, stored_);
  set_expected(stored_);
  if (stored_.empty() || !is_in_order(row)) {
    find_nearest_of(row.named, std::ssize(row.named), rules_.has_images, own_);
    if (is_nearer_than(reference, stored_)) {
      ++tally_.nearer;
      tally_.first_nearer = std::min(tally_.first_nearer, row.number);
    }
    if (stored_.empty() && !own_.empty()) return;
  }
  add(row, stored_);
}

void Judge::judge(const JudgedRow& row, const std::vector<Nearest>& nearest) {
  set_expected(nearest);
  add(row, nearest);
}

void Judge::add(const JudgedRow& row, const std::vector<Nearest>& nearest) {
  const std::int64_t expected = std::ssize(nearest);
  std::int64_t correct = expected;
  bool identical = is_in_order(row);
  if (!identical) {
    correct = std::min(expected, count_correct(row, expected > 0 ? nearest.back().sq_dist : -1));
    identical = !rules_.exact && correct == expected && has_expected_ids(row);
  }
  ++tally_.judged;
  tally_.expected += expected;
  tally_.correct += correct;
  tally_.all_correct += correct == expected;
  tally_.identical += identical;
  if (!identical) tally_.first_different = std::min(tally_.first_different, row.number);
  add_ratios(row, nearest);
}

/// Sets the ids that are expected in the order of (written distance, id): different d² may have the same rounded root.
void Judge::set_expected(const std::vector<Nearest>& nearest) {
  expected_ids_.clear();
  distances_.clear();
  for (const Nearest& n : nearest) {
    expected_ids_.push_back(n.id);
    distances_.push_back(rules_.unit(n.sq_dist));
  }
  for (std::size_t begin = 0, end = 0; begin < distances_.size(); begin = end) {
    while (end < distances_.size() && distances_[end] == distances_[begin]) ++end;
    std::sort(expected_ids_.begin() + static_cast<std::ptrdiff_t>(begin),
              expected_ids_.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

bool Judge::is_in_order(const JudgedRow& row) const {
  for (std::size_t r = 0; r < static_cast<std::size_t>(compared_); ++r)
    if (row.named[r].id != (r < expected_ids_.size() ? expected_ids_[r] : k_missing_id)) return false;
  return true;
}

/// Whether, at some rank, the row has a neighbour nearer than the reference's, or one where the reference has none
/// because ids are missing.
bool Judge::is_nearer_than(const JudgedRow& reference, const std::vector<Nearest>& nearest) const {
  const double factor = (1 - tolerance_) * (1 - tolerance_);
  for (std::size_t r = 0; r < own_.size() && static_cast<std::int64_t>(r) < compared_; ++r) {
    if (r >= nearest.size())
      return std::ranges::any_of(reference.named, [](const NamedPoint& n) { return n.id == k_missing_id; });
    if (own_[r].sq_dist < factor * nearest[r].sq_dist) return true;
  }
  return false;
}

/// Whether the row has the ids of the exact row, in any order: the shifted sort orders them by float32 distances.
bool Judge::has_expected_ids(const JudgedRow& row) {
  ids_.clear();
  for (std::size_t r = 0; r < static_cast<std::size_t>(compared_); ++r)
    if (row.named[r].id != k_missing_id) ids_.push_back(row.named[r].id);
  std::sort(ids_.begin(), ids_.end());
  std::sort(expected_ids_.begin(), expected_ids_.end());
  return ids_ == expected_ids_;
}

/// The number of distinct ids in the row that lie no farther than the exact k-th neighbour. Invalid points never count:
/// their distance is NaN or infinite.
std::int64_t Judge::count_correct(const JudgedRow& row, double kth_sq_dist) {
  using enum NamedPoint::Standing;
  ids_.clear();
  for (const NamedPoint& n : row.named)
    if (n.id != k_missing_id && n.standing != own && n.standing != of_other_group && n.sq_dist <= kth_sq_dist)
      ids_.push_back(n.id);
  if (rules_.has_images) return std::ssize(ids_);
  std::sort(ids_.begin(), ids_.end());
  return std::unique(ids_.begin(), ids_.end()) - ids_.begin();
}

/// Adds the ratio of every rank that has both distances, except where the exact one is 0 or the returned one is
/// infinite because it exceeds float32.
void Judge::add_ratios(const JudgedRow& row, const std::vector<Nearest>& nearest) {
  const WrittenUnit& unit = rules_.unit;
  for (std::size_t r = 0; r < nearest.size(); ++r) {
    const double returned = row.named[r].distance, sq_dist = nearest[r].sq_dist;
    if (row.named[r].id == k_missing_id || !std::isfinite(returned) || sq_dist == 0) continue;
    tally_.ratio_sum.add(unit.sky ? returned / unit(sq_dist) : returned / unit.length / std::sqrt(sq_dist));
    ++tally_.ratios;
  }
}

}  // namespace kann::accuracy
