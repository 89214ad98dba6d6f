#include "search/rows/candidates.hpp"

#include <functional>

#include "base/threads/parallel.hpp"

namespace kann::detail {

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
  if (may_repeat) {
    std::ranges::sort(scratch, [](const Candidate& a, const Candidate& b) {
      return a.id != b.id ? a.id < b.id : a.sq_dist < b.sq_dist;
    });
    const auto is_same = [](const Candidate& a, const Candidate& b) { return a.id == b.id; };
    scratch.erase(std::unique(scratch.begin(), scratch.end(), is_same), scratch.end());
  }
  std::ranges::sort(scratch, std::less<Candidate>());
  scratch.resize(std::min(scratch.size(), row.size()));
  std::ranges::fill(std::ranges::copy(scratch, row.begin()).out, row.end(), Candidate::missing());
}

}  // namespace kann::detail
