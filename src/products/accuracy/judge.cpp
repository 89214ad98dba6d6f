#include "products/accuracy/judge.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kann::accuracy {
namespace {

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
