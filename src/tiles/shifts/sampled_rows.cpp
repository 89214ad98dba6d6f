#include "tiles/shifts/sampled_rows.hpp"

#include <algorithm>

namespace kann::tiles {

SampledRows::SampledRows(std::vector<std::int64_t> rows) : rows_(std::move(rows)) {
  for (const std::int64_t row : rows_) may_have_[static_cast<std::size_t>(row) % k_may_have] = true;
}

void SampledRows::set_row(std::int64_t query, std::span<const std::int64_t> neighbors) {
  for (const std::int64_t neighbor : neighbors)
    if (neighbor >= 0) found_.push_back({query, neighbor});
}

void SampledRows::share(comm::Communicator& ranks) {
  seen_ = ranks.gather_values(seen_);
  std::ranges::sort(seen_, {}, &Seen::key);
  for (const Found& found : ranks.gather_values(found_)) {
    const auto at = std::ranges::lower_bound(seen_, std::pair(found.query, found.neighbor), {}, &Seen::key);
    sq_dists_[found.query].push_back(at->sq_dist);
  }
  seen_.clear();
  doubtful_ = ranks.gather_values(doubtful_);
  std::ranges::sort(doubtful_);
}

bool SampledRows::is_doubtful(std::int64_t query) const { return std::ranges::binary_search(doubtful_, query); }

void SampledRows::compare(std::int64_t query, std::span<const double> exact) {
  const auto neighbors = static_cast<std::int64_t>(exact.size());
  neighbors_ += neighbors;
  if (is_doubtful(query)) neighbors_found_ += neighbors;
  const auto row = sq_dists_.find(query);
  if (exact.empty() || row == sq_dists_.end()) return;
  // Where squares vanish, a radius may leave more in the row than in the exact one
  const auto found = std::span(row->second).first(std::min(row->second.size(), exact.size()));
  neighbors_found_ += std::ranges::count_if(found, [&](double sq_dist) { return sq_dist <= exact.back(); });
}

Sample SampledRows::result(comm::Communicator& ranks) const {
  Sample sample;
  sample.queries = static_cast<std::int64_t>(rows_.size());
  const std::int64_t neighbors = ranks.sum(neighbors_), found = ranks.sum(neighbors_found_);
  if (neighbors > 0) sample.recall = static_cast<double>(found) / static_cast<double>(neighbors);
  return sample;
}

}  // namespace kann::tiles
