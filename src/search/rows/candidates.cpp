#include "search/rows/candidates.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/threads/parallel.hpp"

namespace kann::detail {
namespace {

/// Keeps the first candidate of each id, of `most` ids.
void keep_first_of_each(std::vector<Candidate>& candidates, std::size_t most) {
  thread_local std::vector<std::int64_t> seen;  // a hash table; −1: nothing
  seen.assign(std::bit_ceil(4 * most), -1);
  const std::size_t last = seen.size() - 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates.size() && kept < most; ++i) {
    const std::int64_t id = candidates[i].id;
    std::size_t at = static_cast<std::size_t>(id) * 0x9e3779b97f4a7c15u >> 32 & last;
    while (seen[at] >= 0 && seen[at] != id) at = (at + 1) & last;
    if (seen[at] == id) continue;
    seen[at] = id;
    candidates[kept++] = candidates[i];
  }
  candidates.resize(kept);
}

}  // namespace

void sort(std::span<Candidate> row) {
  if (!std::ranges::is_sorted(row, std::less<Candidate>())) std::ranges::sort(row, std::less<Candidate>());
}

template <class T>
CandidateRows rows_in_tile(std::span<const T> tile, std::span<const std::int64_t> ids, std::span<const T> queries,
                           const Neighbors& found, int dimensions, std::optional<double> radius, int threads) {
  CandidateRows rows(found.ids.size());
  std::optional<geometry::WithinRadius> is_within;
  if (radius) is_within.emplace(*radius);
  const auto d = static_cast<std::size_t>(dimensions), k = static_cast<std::size_t>(found.k);
  base::parallel_blocks(found.queries, threads, [&](int, std::int64_t begin, std::int64_t end) {
    for (auto q = static_cast<std::size_t>(begin); q < static_cast<std::size_t>(end); ++q) {
      const std::span<Candidate> row = std::span(rows).subspan(q * k, k);
      for (std::size_t i = 0; i < k; ++i) {
        const std::int32_t id = found.ids[q * k + i];
        const auto point = static_cast<std::size_t>(id);
        row[i] = id == k_missing_id ? Candidate::missing()
                                    : candidate(tile.data() + point * d, ids[point], queries.data() + q * d, d,
                                                is_within ? &*is_within : nullptr);
      }
      sort(row);
    }
  });
  return rows;
}

template CandidateRows rows_in_tile(std::span<const float>, std::span<const std::int64_t>, std::span<const float>,
                                    const Neighbors&, int, std::optional<double>, int);
template CandidateRows rows_in_tile(std::span<const double>, std::span<const std::int64_t>, std::span<const double>,
                                    const Neighbors&, int, std::optional<double>, int);

CandidateRows without_own(std::span<const std::int64_t> queries, std::span<const Candidate> rows, int threads) {
  if (queries.empty()) return {};
  const std::size_t k = rows.size() / queries.size();
  CandidateRows others(queries.size() * (k - 1));
  base::parallel_for(std::ssize(queries), threads, [&](std::int64_t query) {
    const auto i = static_cast<std::size_t>(query);
    std::size_t to = i * (k - 1);
    const std::size_t end = to + k - 1;
    for (std::size_t at = i * k; at < (i + 1) * k && to < end; ++at)
      if (rows[at].id != queries[i]) others[to++] = rows[at];
  });
  return others;
}

void merge(std::span<Candidate> row, std::span<const Candidate> other, std::vector<Candidate>& scratch) {
  scratch.assign(row.begin(), row.end());
  auto a = scratch.cbegin();
  auto b = other.begin();
  for (Candidate& place : row) place = b != other.end() && *b < *a ? *b++ : *a++;
}

void merge_images(std::span<Candidate> row, std::span<const Candidate> of_images, bool may_repeat,
                  std::vector<Candidate>& scratch) {
  scratch.assign(row.begin(), row.end());
  scratch.insert(scratch.end(), of_images.begin(), of_images.end());
  std::erase_if(scratch, [](const Candidate& n) { return n.id < 0; });
  std::ranges::sort(scratch, std::less<Candidate>());
  if (may_repeat) keep_first_of_each(scratch, row.size());
  scratch.resize(std::min(scratch.size(), row.size()));
  std::ranges::fill(std::ranges::copy(scratch, row.begin()).out, row.end(), Candidate::missing());
}

}  // namespace kann::detail
