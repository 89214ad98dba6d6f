// Statistics and histograms of rows that several ranks share: those of all rows, to the last bit.
#include "products/statistics/shared_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "kann/error.hpp"
#include "kann/histogram.hpp"

#include "clouds.hpp"
#include "flow/ranks/threads.hpp"
#include "part.hpp"
#include "products/statistics/result_rows.hpp"

namespace kann::test {
namespace {

/// All numbers, bit by bit, so that NaN is equal to NaN.
std::vector<std::uint64_t> bits_of(const DistanceStatistics& s) {
  std::vector<std::uint64_t> bits;
  const auto add = [&](auto... numbers) { (bits.push_back(std::bit_cast<std::uint64_t>(numbers)), ...); };
  add(s.empty_rows, s.density.p5, s.density.median, s.density.p95);
  for (const RankStatistics& r : s.ranks)
    add(r.rank, r.queries, r.mean, r.median, r.p95, r.p99, r.max, r.deviation, r.rms);
  return bits;
}

/// Rank i has the rows [borders[i], borders[i + 1]).
void expect_that_of_all(const Neighbors& n, const std::vector<std::int64_t>& borders) {
  const DistanceStatistics want = distance_statistics(n, 3, 1);
  const std::string want_svg = histogram_svg(n, want);
  std::mutex mutex;
  flow::run_on_threads(static_cast<int>(borders.size()) - 1, [&](flow::Communicator& ranks) {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::vector<std::int64_t> sizes{1'000 + ranks.rank(), 1};
    const RowBlocks own = in_blocks(n, borders[rank], borders[rank + 1], sizes);
    const auto sum = [&](std::span<std::int64_t> counts) { ranks.sum(counts); };
    const DistanceStatistics got = statistics::distance_statistics(own, 3, 1 + ranks.rank() % 2, sum);
    const std::string svg = statistics::histogram_svg(own, got, sum, {});
    const std::lock_guard lock(mutex);
    EXPECT_EQ(bits_of(got), bits_of(want)) << "rank " << rank;
    EXPECT_EQ(svg, want_svg) << "rank " << rank;
  });
}

TEST(SharedRows, HaveTheStatisticsOfAll) {
  Part part;
  Random r(13);
  const std::vector<std::function<float()>> draws{[&] { return static_cast<float>(r.uniform()); },
                                                  [&] { return static_cast<float>(std::exp(80 * r.uniform() - 40)); },
                                                  [&] { return r.below(9) ? 1.5f : k_infinity; }, [] { return 0.f; }};
  for (const auto& draw : draws)
    for (const std::int64_t n : {0, 1, 2, 5003})
      for (const std::int64_t k : {0, 1, 17}) {
        if (!part.takes_next()) continue;
        r = Random(13);
        SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(k));
        const std::vector<std::function<std::int64_t(std::int64_t)>> counts{
            [&](auto) { return k; }, [&](auto) { return static_cast<std::int64_t>(r.below(k + 1)); },
            [&](std::int64_t q) { return q < n / 2 ? std::min<std::int64_t>(k, 1) : 0; },  // columns without a number
            [](auto) { return 0; }};
        for (const auto& count_of : counts) {
          const Neighbors all = rows(n, k, draw, count_of);
          const std::int64_t few = std::min<std::int64_t>(n, 7), most = n - n / 5;
          for (const auto& borders : std::vector<std::vector<std::int64_t>>{
                   {0, n}, {0, most, n}, {0, 0, n}, {0, few, few, most, n, n}, {0, 0, 0, n}})
            expect_that_of_all(all, borders);
        }
      }
}

TEST(SharedRows, OfARankThatFailsEndAll) {
  Random r(17);
  const Neighbors n = rows(
      100, 2, [&] { return static_cast<float>(r.uniform()); }, [](auto) { return 2; });
  for (const int failing : {0, 2}) {
    int ended = 0;
    std::mutex mutex;
    EXPECT_THROW(flow::run_on_threads(
                     3,
                     [&](flow::Communicator& ranks) {
                       RowBlocks own = in_blocks(n, {10});
                       if (ranks.rank() == failing)
                         own.for_each = [](const RowBlocks::Sink&) { throw Error(ErrorKind::resources, "disk"); };
                       try {
                         statistics::distance_statistics(own, 3, 1, [&](auto counts) { ranks.sum(counts); });
                       } catch (const Error& error) {
                         EXPECT_STREQ(error.what(), "disk");
                         const std::lock_guard lock(mutex);
                         ++ended;
                         throw;
                       }
                     }),
                 Error);
    EXPECT_EQ(ended, 3);
  }
}

TEST(SharedRows, AreRefusedWhereTheirSumsCouldOverflow) {
  const RowBlocks half{(std::int64_t{1} << 38) + 1, 1, true, [](const RowBlocks::Sink&) { FAIL(); }};
  try {
    statistics::distance_statistics(half, 3, 1, [](std::span<std::int64_t> counts) { counts[0] *= 2; });
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    EXPECT_STREQ(error.what(), "statistics: more than 549755813888 rows");
  }
}

}  // namespace
}  // namespace kann::test
