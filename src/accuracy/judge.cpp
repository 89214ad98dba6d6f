#include "accuracy/judge.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/host_memory.hpp"

namespace kann::accuracy {

void Tally::add(const Tally& other) {
  judged += other.judged;
  all_correct += other.all_correct;
  expected += other.expected;
  correct += other.correct;
  ratio_sum += other.ratio_sum;
  ratios += other.ratios;
}

Judge::Judge(const Points& data, const Points& queries, const Neighbors& neighbors, bool drop_self)
    : queries_(queries),
      neighbors_(neighbors),
      drop_self_(drop_self),
      dimensions_(data.dimensions),
      scale_(make_judge_scale(data, queries)),
      coordinates_(scaled(data)),
      rows_(valid_rows()),
      tree_(coordinates_, dimensions_, rows_) {}

void Judge::judge(std::int64_t query, Scratch& scratch, Tally& tally) const {
  if (!is_valid(query)) return;
  std::array<double, 3> point{};
  for (int a = 0; a < dimensions_; ++a) point[a] = queries_.at(query, a) * scale_.scale;

  const std::int64_t own = drop_self_ ? query : k_missing_id;
  const std::int64_t expected = std::min(neighbors_.k, scale_.valid_data - (drop_self_ ? 1 : 0));
  std::vector<double>& exact = scratch.exact_sq_distances;
  exact.resize(static_cast<std::size_t>(expected));
  tree_.nearest(point.data(), own, exact);

  const std::int64_t correct =
      expected > 0 ? count_correct(query, own, point.data(), exact.back(), scratch.correct_ids) : 0;
  ++tally.judged;
  tally.expected += expected;
  tally.correct += correct;
  tally.all_correct += correct == expected;
  add_ratios(query, exact, tally);
}

bool Judge::is_valid(std::int64_t query) const {
  for (int a = 0; a < dimensions_; ++a)
    if (!std::isfinite(queries_.at(query, a))) return false;
  return true;
}

bool Judge::is_finite(const double* point) const {
  return std::all_of(point, point + dimensions_, [](double x) { return std::isfinite(x); });
}

Array<double> Judge::scaled(const Points& data) const {
  // Bytes per point: coordinates, the list of valid rows, nanoflann's order and its nodes.
  const double bytes_each = 8.0 * dimensions_ + 4 + 4 + 24;
  base::check_host_memory(static_cast<double>(data.size()) * bytes_each, "the exact reference");
  Array<double> out(static_cast<std::size_t>(data.size() * dimensions_));
  std::visit(
      [&](const auto& c) {
        std::transform(c.begin(), c.end(), out.begin(), [&](double x) { return x * scale_.scale; });
      },
      data.coordinates);
  return out;
}

Array<std::uint32_t> Judge::valid_rows() const {
  Array<std::uint32_t> rows;
  const std::int64_t count = static_cast<std::int64_t>(coordinates_.size()) / dimensions_;
  if (scale_.valid_data == count) return rows;
  for (std::int64_t i = 0; i < count; ++i)
    if (is_finite(&coordinates_[i * dimensions_])) rows.push_back(static_cast<std::uint32_t>(i));
  return rows;
}

/// The number of distinct ids in the row that lie no farther than the exact k-th neighbour, within the tolerance.
/// Invalid points do not: their distance is NaN or infinite.
std::int64_t Judge::count_correct(std::int64_t query, std::int64_t own, const double* point, double kth_sq_dist,
                                  std::vector<std::int32_t>& ids) const {
  const double limit = scale_.tolerance.sq_limit(point, kth_sq_dist, dimensions_);
  ids.clear();
  for (std::int64_t r = 0; r < neighbors_.k; ++r) {
    const std::int32_t id = neighbors_.ids[query * neighbors_.k + r];
    if (id == k_missing_id || id == own) continue;
    double sq_dist = 0;
    for (int a = 0; a < dimensions_; ++a) {
      const double difference = coordinates_[static_cast<std::int64_t>(id) * dimensions_ + a] - point[a];
      sq_dist += difference * difference;
    }
    if (sq_dist <= limit) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end());
  return std::unique(ids.begin(), ids.end()) - ids.begin();
}

/// Adds the ratio of every rank that has both distances, except where the exact one is 0 or the returned one is
/// infinite because it exceeds float32.
void Judge::add_ratios(std::int64_t query, const std::vector<double>& exact_sq_distances, Tally& tally) const {
  for (std::size_t r = 0; r < exact_sq_distances.size(); ++r) {
    const std::int64_t i = query * neighbors_.k + static_cast<std::int64_t>(r);
    const double returned = neighbors_.distances[i] * scale_.scale;
    if (neighbors_.ids[i] == k_missing_id || !std::isfinite(returned) || exact_sq_distances[r] == 0) continue;
    tally.ratio_sum += returned / std::sqrt(exact_sq_distances[r]);
    ++tally.ratios;
  }
}

}  // namespace kann::accuracy
