#include "search/periodic/row_builder.hpp"

#include <algorithm>
#include <utility>

#include "search/periodic/images.hpp"
#include "search/periodic/margin.hpp"

namespace kann::detail {

using geometry::ExactNeighbor;

RowBuilder::RowBuilder(const PeriodicRows& of, std::int64_t query, std::int64_t k)
    : of_(of),
      query_(query),
      k_(k),
      available_(of.valid_data - (of.drop_self ? 1 : 0)),
      place_(of.placement.place(position_of(of.queries, query))) {}

// A list whose distances are those of the definition needs no margin: it has k points beside the query itself, in the
// order of (d², id), and none that it lacks comes before the k-th of them.
void RowBuilder::add(const Neighbors& lists, std::int64_t row, const Position& image, bool is_exact) {
  const bool needs_margin = !is_exact && !of_.placement.is_exact();
  double farthest = 0;
  for (std::int64_t r = 0; r < lists.k; ++r) {
    const std::int32_t id = lists.ids[row * lists.k + r];
    if (id == k_missing_id) break;
    if (needs_margin) {
      const Position at = position_of(of_.placement.data(), id);
      farthest = std::max(farthest, geometry::sq_distance_3d(image[0] - at[0], image[1] - at[1], image[2] - at[2]));
    }
    if (of_.drop_self && id == query_) continue;
    candidates_.push_back(
        {of_.placement.box().sq_dist(place_.given, position_of(of_.data, id)), static_cast<std::uint32_t>(id)});
  }
  if (needs_margin) rest_ = std::min(rest_, at_least(farthest, slack_of(of_.placement, place_, image)));
}

double RowBuilder::sq_radius() {
  if (static_cast<std::int64_t>(candidates_.size()) < k_) return std::numeric_limits<double>::infinity();
  const auto kth = candidates_.begin() + (k_ - 1);
  std::nth_element(candidates_.begin(), kth, candidates_.end());
  return kth->sq_dist;
}

bool RowBuilder::write(Neighbors& rows) {
  std::sort(candidates_.begin(), candidates_.end());
  const auto same = [](const ExactNeighbor& a, const ExactNeighbor& b) { return a.index == b.index; };
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end(), same), candidates_.end());
  const auto count = static_cast<std::int64_t>(candidates_.size());
  if (count < available_ && (count < k_ || is_blurred() || !(candidates_[k_ - 1].sq_dist < rest_))) return false;

  const std::int64_t kept = std::min(count, k_);
  std::vector<std::pair<float, std::int32_t>> row;
  row.reserve(static_cast<std::size_t>(kept));
  for (std::int64_t r = 0; r < kept; ++r)
    row.emplace_back(geometry::rounded_root(candidates_[r].sq_dist), static_cast<std::int32_t>(candidates_[r].index));
  std::sort(row.begin(), row.end());
  row.resize(static_cast<std::size_t>(k_), {std::numeric_limits<float>::infinity(), k_missing_id});
  for (std::int64_t r = 0; r < k_; ++r) {
    rows.distances[query_ * k_ + r] = row[r].first;
    rows.ids[query_ * k_ + r] = row[r].second;
  }
  return true;
}

}  // namespace kann::detail
