#include "products/accuracy/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/host_memory.hpp"

namespace kann::accuracy {
namespace {

DistinctPoints checked_distinct_points(const PointsView& data, const Extent& extent, double scale, int threads) {
  // Bytes per point: 8 per coordinate; 8 for the ids and for where those of a distinct point begin; 4 and 24 for
  // nanoflann's order and nodes, which are allocated after the order by cell is freed.
  const double bytes_each = 8.0 * data.dimensions + 8 + 4 + 24;
  base::check_host_memory(static_cast<double>(data.size()) * bytes_each, "the exact reference");
  return distinct_points(Coordinates(data, scale), data.size(), extent.scaled(scale), threads);
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
  first_faulty = std::min(first_faulty, other.first_faulty);
}

Judge::Judge(const JudgedRows& rows, const CloudFacts& facts, const AccuracyOptions& options, const Sides& sides,
             int threads)
    : data_extent_(facts.data),
      query_extent_(facts.queries),
      scale_(choose_scale(joined(data_extent_, query_extent_), rows.data.dimensions)),
      points_(rows.stored ? DistinctPoints() : checked_distinct_points(rows.data, data_extent_, scale_, threads)),
      rules_{
          .neighbors = rows.neighbors,
          .data = Coordinates(rows.data, scale_),
          .queries = Coordinates(rows.queries, scale_),
          .unit = {1 / scale_, options.sky},
          .valid_points = facts.data.valid,
          .drop_self = options.self_query && !options.include_self,
          .exact = options.exact,
          .groups = options.groups ? std::optional<GroupSizes>({*options.groups, Coordinates(rows.data, scale_)})
                                   : std::nullopt,
          .sides = sides.scaled(scale_),
          .radius = Radius(options.radius && options.sky ? chord(*options.radius, *options.sky) : options.radius,
                           rows.data, rows.queries, sides),
          .errors = FloatErrors(data_extent_, query_extent_, facts.middle.scaled(scale_), rows.data.dimensions, scale_),
          .part = rows.part},
      stored_(rows.stored),
      tolerance_(options.tolerance),
      compared_(stored_ ? std::min(rows.neighbors.k, stored_->k) : rows.neighbors.k) {
  if (!stored_) tree_.emplace(points_, rows.data.dimensions);
}

void Judge::check(std::int64_t query, Scratch& scratch, Tally& tally) const {
  if (!check_row(rules_, query, scratch.ids)) return;
  ++tally.faulty;
  tally.first_faulty = std::min(tally.first_faulty, query);
}

std::string Judge::describe_fault(std::int64_t query) const {
  std::vector<std::int32_t> ids;
  const auto fault = check_row(rules_, query, ids);
  return fault ? describe(*fault, rules_, query) : "";
}

void Judge::judge(std::int64_t query, Scratch& scratch, Tally& tally) const {
  if (!rules_.queries.is_finite(query)) return;
  const std::array<double, 3> point = rules_.queries[query];
  find_reference(query, point.data(), scratch);
  const auto expected = static_cast<std::int64_t>(scratch.nearest.size());

  bool identical = is_reference_in_order(query, scratch);
  if (stored_ && (!identical || expected == 0)) {
    if (is_nearer_than_reference(query, scratch)) {
      ++tally.nearer;
      tally.first_nearer = std::min(tally.first_nearer, query);
    }
    if (expected == 0 && !scratch.own.empty()) return;
  }
  std::int64_t correct = expected;
  if (!identical) {
    const double kth_sq_dist = expected > 0 ? scratch.nearest.back().sq_dist : -1;
    correct = std::min(expected, count_correct(query, point.data(), kth_sq_dist, scratch.ids));
    identical = !rules_.exact && correct == expected && has_reference_ids(query, scratch);
  }
  ++tally.judged;
  tally.expected += expected;
  tally.correct += correct;
  tally.all_correct += correct == expected;
  tally.identical += identical;
  if (!identical) tally.first_different = std::min(tally.first_different, query);
  add_ratios(query, scratch.nearest, tally);
}

/// Fills in the reference row in the order of (d², id), and its ids in the order of (written distance, id): different
/// d² may have the same rounded root.
void Judge::find_reference(std::int64_t query, const double* point, Scratch& scratch) const {
  std::vector<Nearest>& nearest = scratch.nearest;
  if (stored_) {
    find_stored(*stored_, query, compared_, nearest);
  } else {
    nearest.resize(static_cast<std::size_t>(std::min(compared_, rules_.available(query))));
    const LeftOut left_out = rules_.left_out(query);
    if (rules_.sides.any())
      nearest_in_box(*tree_, data_extent_.scaled(scale_), rules_.sides, rules_.data.dimensions(), point, left_out,
                     nearest);
    else
      tree_->nearest(point, left_out, nearest);
    std::erase_if(nearest, [&](const Nearest& n) { return rules_.radius.excludes(query, n.id); });
  }

  std::vector<std::int32_t>& ids = scratch.reference_ids;
  ids.clear();
  for (const Nearest& n : nearest) ids.push_back(n.id);
  std::vector<float>& distances = scratch.distances;
  distances.clear();
  for (const Nearest& n : nearest) distances.push_back(rules_.unit(n.sq_dist));
  for (std::size_t begin = 0, end = 0; begin < ids.size(); begin = end) {
    while (end < ids.size() && distances[end] == distances[begin]) ++end;
    std::sort(ids.begin() + static_cast<std::ptrdiff_t>(begin), ids.begin() + static_cast<std::ptrdiff_t>(end));
  }
}

/// Fills `nearest` with the `count` smallest (d², id), ascending, of the ids in the row of `query` in `neighbors` (the
/// reference, or the rows that are judged); with all of them if there are fewer. Repeated ids count once. Invalid
/// points do not count, nor do those that are left out for the query, and points beyond the radius.
void Judge::find_stored(const Neighbors& neighbors, std::int64_t query, std::int64_t count,
                        std::vector<Nearest>& nearest) const {
  const std::array<double, 3> point = rules_.queries[query];
  const LeftOut left_out = rules_.left_out(query);
  nearest.clear();
  for (std::int64_t r = 0; r < neighbors.k; ++r) {
    const std::int32_t id = neighbors.ids[query * neighbors.k + r];
    if (id == k_missing_id || left_out.has(id) || !rules_.data.is_finite(id)) continue;
    if (rules_.radius.excludes(query, id)) continue;
    nearest.push_back({rules_.sq_dist(point.data(), id), id});
  }
  std::sort(nearest.begin(), nearest.end());
  nearest.erase(std::unique(nearest.begin(), nearest.end()), nearest.end());
  if (static_cast<std::int64_t>(nearest.size()) > count) nearest.resize(static_cast<std::size_t>(count));
}

/// Whether, at some rank, the row has a neighbour nearer than the reference's, or one where the reference has none
/// because ids are missing. Also fills in the neighbours of the row.
bool Judge::is_nearer_than_reference(std::int64_t query, Scratch& scratch) const {
  find_stored(rules_.neighbors, query, rules_.neighbors.k, scratch.own);
  const auto row = stored_->ids.begin() + query * stored_->k;
  const bool is_short = std::count(row, row + stored_->k, k_missing_id) > 0;
  const double factor = (1 - tolerance_) * (1 - tolerance_);
  for (std::size_t r = 0; r < scratch.own.size() && static_cast<std::int64_t>(r) < compared_; ++r) {
    if (r >= scratch.nearest.size()) return is_short;
    if (scratch.own[r].sq_dist < factor * scratch.nearest[r].sq_dist) return true;
  }
  return false;
}

bool Judge::is_reference_in_order(std::int64_t query, const Scratch& scratch) const {
  const auto row = rules_.neighbors.ids.begin() + query * rules_.neighbors.k;
  const auto expected = static_cast<std::ptrdiff_t>(scratch.reference_ids.size());
  return std::equal(scratch.reference_ids.begin(), scratch.reference_ids.end(), row) &&
         std::all_of(row + expected, row + compared_, [](std::int32_t id) { return id == k_missing_id; });
}

/// Whether the row has the ids of the exact row, in any order: the shifted sort orders them by float32 distances.
bool Judge::has_reference_ids(std::int64_t query, Scratch& scratch) const {
  const auto row = rules_.neighbors.ids.begin() + query * rules_.neighbors.k;
  scratch.ids.assign(row, row + compared_);
  std::erase(scratch.ids, k_missing_id);
  std::sort(scratch.ids.begin(), scratch.ids.end());
  std::sort(scratch.reference_ids.begin(), scratch.reference_ids.end());
  return scratch.ids == scratch.reference_ids;
}

/// The number of distinct ids in the row that lie no farther than the exact k-th neighbour. Invalid points never count:
/// their distance is NaN or infinite.
std::int64_t Judge::count_correct(std::int64_t query, const double* point, double kth_sq_dist,
                                  std::vector<std::int32_t>& ids) const {
  const LeftOut left_out = rules_.left_out(query);
  ids.clear();
  for (std::int64_t r = 0; r < rules_.neighbors.k; ++r) {
    const std::int32_t id = rules_.neighbors.ids[query * rules_.neighbors.k + r];
    if (id == k_missing_id || left_out.has(id)) continue;
    if (rules_.sq_dist(point, id) <= kth_sq_dist) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return std::unique(ids.begin(), ids.end()) - ids.begin();
}

/// Adds the ratio of every rank that has both distances, except where the exact one is 0 or the returned one is
/// infinite because it exceeds float32.
void Judge::add_ratios(std::int64_t query, const std::vector<Nearest>& nearest, Tally& tally) const {
  for (std::size_t r = 0; r < nearest.size(); ++r) {
    const std::int64_t i = query * rules_.neighbors.k + static_cast<std::int64_t>(r);
    const double returned = rules_.neighbors.distances[i];
    if (rules_.neighbors.ids[i] == k_missing_id || !std::isfinite(returned) || nearest[r].sq_dist == 0) continue;
    tally.ratio_sum.add(rules_.unit.sky ? returned / rules_.unit(nearest[r].sq_dist)
                                        : returned * scale_ / std::sqrt(nearest[r].sq_dist));
    ++tally.ratios;
  }
}

}  // namespace kann::accuracy
