#include "common/recall.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "kann/error.hpp"

#include "base/threads/parallel.hpp"

namespace kann::bench {
namespace {

constexpr std::int64_t k_row_chunk = 4096;

void check_shapes(const Neighbors& fewer, const Neighbors& more) {
  if (fewer.queries != more.queries || fewer.k > more.k)
    throw Error(ErrorKind::internal, "compared answers have different shapes");
}

}  // namespace

double recall_against(const Neighbors& found, const Neighbors& exact) {
  check_shapes(found, exact);
  std::atomic<std::int64_t> due_sum = 0, counted_sum = 0;
  base::parallel_chunks(found.queries, k_row_chunk, base::thread_count(0), [&](std::int64_t begin, std::int64_t end) {
    std::vector<std::int32_t> ids;
    std::int64_t due_here = 0, counted_here = 0;
    for (std::int64_t row = begin; row < end; ++row) {
      const std::int32_t* const exact_ids = &exact.ids[row * exact.k];
      const std::int64_t due = std::find(exact_ids, exact_ids + found.k, k_missing_id) - exact_ids;
      if (due == 0) continue;
      // Distances of the shifted sort are rounded in float32, those of the exact search are correctly rounded
      const float limit = exact.distances[row * exact.k + due - 1] * (1 + 0x1p-21f);
      ids.clear();
      for (std::int64_t j = row * found.k; j < (row + 1) * found.k; ++j)
        if (found.ids[j] != k_missing_id && found.distances[j] <= limit) ids.push_back(found.ids[j]);
      std::sort(ids.begin(), ids.end());
      due_here += due;
      counted_here += std::min<std::int64_t>(due, std::unique(ids.begin(), ids.end()) - ids.begin());
    }
    due_sum += due_here;
    counted_sum += counted_here;
  });
  return due_sum == 0 ? 1 : static_cast<double>(counted_sum) / static_cast<double>(due_sum);
}

bool is_near(const Neighbors& a, const Neighbors& b) {
  check_shapes(a, b);
  std::atomic<bool> near = true;
  base::parallel_chunks(a.queries * a.k, k_row_chunk, base::thread_count(0), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end && near; ++i) {
      const float x = a.distances[i], y = b.distances[i];
      // Infinity, a missing neighbour, is near to nothing but infinity.
      if (x != y && !(std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= 1e-5f * y)) near = false;
    }
  });
  return near;
}

bool is_prefix(const Neighbors& fewer, const Neighbors& more) {
  check_shapes(fewer, more);
  std::atomic<bool> same = true;
  base::parallel_chunks(fewer.queries, k_row_chunk, base::thread_count(0), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end && same; ++row) {
      const float last = fewer.distances[(row + 1) * fewer.k - 1];
      const bool goes_on = fewer.k < more.k && more.distances[row * more.k + fewer.k] == last;
      for (std::int64_t j = 0; j < fewer.k; ++j) {
        const float distance = fewer.distances[row * fewer.k + j];
        const bool same_id = fewer.ids[row * fewer.k + j] == more.ids[row * more.k + j];
        if (distance != more.distances[row * more.k + j] || (!same_id && !(goes_on && distance == last))) same = false;
      }
    }
  });
  return same;
}

}  // namespace kann::bench
