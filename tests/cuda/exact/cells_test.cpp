// The exact search in cells, on clouds that are nearly even and on some that are not, against brute force; and the ends
// of rows, which it brings from slots to their places.
#include <algorithm>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "clouds.hpp"
#include "cuda/exact/cells/search_cells.hpp"
#include "cuda/exact/teams/row_ends.hpp"
#include "cuda/runtime/search_context.hpp"
#include "cuda/searches.hpp"
#include "float64_clouds.hpp"

namespace kann::test {
namespace {

/// How data depart from an even cloud.
enum class Fault { none, dense_corner, hole, outlier, duplicates, slab, offset, lattice, clusters };
constexpr Fault k_faults[] = {Fault::none, Fault::dense_corner, Fault::hole,    Fault::outlier, Fault::duplicates,
                              Fault::slab, Fault::offset,       Fault::lattice, Fault::clusters};

Doubles almost_even(std::int64_t n, int d, Fault fault, Random& random) {
  double sides[3];
  for (double& side : sides) side = 0.5 + 2 * random.uniform();
  if (fault == Fault::slab) sides[random.below(static_cast<std::uint64_t>(d))] *= 0.02;
  Doubles cloud;
  for (std::int64_t i = 0; i < n; ++i) {
    double p[3], from_centre = 0;
    do {
      from_centre = 0;
      for (int a = 0; a < d; ++a) {
        const double share = random.uniform();
        p[a] = sides[a] * share;
        from_centre += (share - 0.5) * (share - 0.5);
      }
    } while (fault == Fault::hole && from_centre < 0.04);
    for (int a = 0; a < d; ++a) {
      if (fault == Fault::dense_corner && i % 10 == 0) p[a] *= 0.1;
      if (fault == Fault::duplicates && i % 3 == 2) p[a] = cloud[(i - 1) * d + a];
      if (fault == Fault::outlier && i == n / 2) p[a] = 1e6 * sides[a];
      if (fault == Fault::offset) p[a] += 1000;
      if (fault == Fault::lattice) p[a] = std::floor(p[a] * 16) / 16;
      if (fault == Fault::clusters) p[a] = std::floor(p[a] * 4) / 4 + 0.01 * random.normal();
      cloud.push_back(p[a]);
    }
  }
  return cloud;
}

/// Queries like the data, on the faces of their box, at data points, beside the box and far away.
Doubles queries_for(const Doubles& data, std::size_t d, std::int64_t m, Random& random) {
  const std::size_t n = data.size() / d;
  std::vector<double> lo(d, INFINITY), hi(d, -INFINITY);
  for (std::size_t i = 0; i < n * d; ++i) {
    lo[i % d] = std::min(lo[i % d], data[i]);
    hi[i % d] = std::max(hi[i % d], data[i]);
  }
  Doubles queries;
  for (std::int64_t i = 0; i < m; ++i) {
    const auto kind = random.below(16);
    const std::size_t own = random.below(n);
    const std::size_t face = random.below(d);
    for (std::size_t a = 0; a < d; ++a) {
      double x = lo[a] + (hi[a] - lo[a]) * random.uniform();
      if (kind == 0) x = data[own * d + a];
      if (kind == 1 && a == face) x = random.below(2) ? lo[a] : hi[a];
      if (kind == 2 && a == face) x += (hi[a] - lo[a]) * (random.below(2) ? 1 : -1);
      if (kind == 3 && i % 8 == 0) x *= 1e9;
      queries.push_back(x);
    }
  }
  return queries;
}

class CudaCells : public GpuTest {
 protected:
  /// Searches a case in cells in all ways, whether that is wise or not, and compares the rows.
  void expect_brute_force(const Case& c, std::int64_t k, bool drop_self) {
    if (thinned_out()) return;
    ++cases_;
    SearchOptions options = exact(k);
    options.include_self = !drop_self;
    const problem::Prepared prepared = c.prepare(options);
    const problem::Problem& p = prepared.problem;
    const auto grid = cuda::exact::cells_over(p);
    if (!grid) return;
    ++searches_;
    const Neighbors want = plain_exact(p);
    const cuda::Memory memory;
    cuda::Workspace workspace(memory);
    cuda::SearchContext context(p, workspace);
    using cuda::exact::FirstSearch;
    for (const FirstSearch first : {FirstSearch::in_teams, FirstSearch::in_large_teams, FirstSearch::singly}) {
      const auto bytes = static_cast<std::size_t>(context.ids.size()) * sizeof(std::int32_t);
      cuda::check(cudaMemsetAsync(context.ids.data(), 0xa5, bytes, context.stream), "poison");
      cuda::check(cudaMemsetAsync(context.distances.data(), 0xa5, bytes, context.stream), "poison");
      p.is_rounded() ? cuda::exact::search_cells<double>(context, *grid, nullptr, first)
                     : cuda::exact::search_cells<float>(context, *grid, nullptr, first);
      const Neighbors got = context.download();
      const std::string what = c.name + " k=" + std::to_string(k) + " way " + std::to_string(static_cast<int>(first));
      ASSERT_NO_FATAL_FAILURE(expect_same(got, want, what));
    }
  }

  int cases_ = 0, searches_ = 0;
};

TEST_F(CudaCells, GivesTheBytesOfBruteForce) {
  // With --gtest_random_seed=N, other clouds
  Random random(331 + static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed()));
  for (const std::int64_t n : {1, 2, 3, 8, 9, 17, 100, 1000, 4095, 4096, 4097, 20011})
    for (const Fault fault : k_faults)
      for (const int d : {2, 3})
        for (const bool is_float32 : {true, false}) {
          const Doubles data = almost_even(n, d, fault, random);
          const std::int64_t m = n == 4097 ? 5001 : n > 2000 ? 301 : 1001;  // in teams, and one by one
          const Doubles queries = queries_for(data, static_cast<std::size_t>(d), m, random);
          const auto points = is_float32 ? to_float32 : static_cast<Points (*)(const Doubles&, int)>(to_points);
          const Case separate{"n=" + std::to_string(n) + " fault " + std::to_string(static_cast<int>(fault)) +
                                  " d=" + std::to_string(d) + (is_float32 ? "" : " float64"),
                              points(data, d), points(queries, d)};
          const std::int64_t k = 1 + static_cast<std::int64_t>(random.below(64));
          ASSERT_NO_FATAL_FAILURE(expect_brute_force(separate, k, false));
          if (n > 2000) continue;
          const Case self{separate.name + " self", separate.data, std::nullopt};
          ASSERT_NO_FATAL_FAILURE(expect_brute_force(self, k, true));
        }
  EXPECT_GT(4 * searches_, cases_);  // not all of them have a grid
}

TEST_F(CudaCells, AreChosenForEvenDataAlone) {
  const auto are_chosen = [](const Coordinates& data, int d, std::int64_t k) {
    const Case c{"", to_points(data, d), std::nullopt};
    const problem::Prepared prepared = c.prepare(exact(k));
    return cuda::exact::plan_cells(prepared.problem).has_value();
  };
  constexpr std::int64_t n = 200000;
  for (const int d : {2, 3})
    for (const std::int64_t k : {1, 8, 17, 64}) EXPECT_TRUE(are_chosen(uniform(n, d, 1), d, k)) << d << " " << k;
  EXPECT_FALSE(are_chosen(uniform(n, 3, 1), 3, 65));
  EXPECT_FALSE(are_chosen(uniform(1000, 3, 1), 3, 8));
  EXPECT_FALSE(are_chosen(clusters(n, 3, 1), 3, 8));
  EXPECT_FALSE(are_chosen(plane(n, 3, 1), 3, 8));
  EXPECT_FALSE(are_chosen(identical(n, 3, 1), 3, 8));
  auto with_outlier = uniform(n, 3, 1);
  with_outlier[0] = 1e6f;
  EXPECT_FALSE(are_chosen(with_outlier, 3, 8));
}

TEST_F(CudaCells, LeaveTheRestToAnotherSearch) {
  // Each of the points sixteen times: even as far as a sample tells, and no ball decides anything
  const auto places = uniform(10000, 3, 5);
  const auto data = make_cloud(160000, 3, [&](std::int64_t i, int a) { return places[i % 10000 * 3 + a]; });
  const Case all{"sixteen times", to_points(data, 3), to_points(uniform(70000, 3, 6), 3)};
  // A hole, in which a tenth of the queries are too far from all points
  auto around = uniform(300000, 3, 7), queries = uniform(50000, 3, 8);
  const auto is_in_hole = [](const float* p) { return std::abs(p[0] - 0.5f) < 0.1f && std::abs(p[1] - 0.5f) < 0.1f; };
  for (std::size_t i = 0; i < around.size(); i += 3)
    if (is_in_hole(&around[i])) around[i] *= 0.3f;
  for (std::size_t i = 0; i < queries.size(); i += 30)
    for (std::size_t a = 0; a < 2; ++a) queries[i + a] = 0.5f + 0.1f * (queries[i + a] - 0.5f);
  const Case some{"a hole", to_points(around, 3), to_points(queries, 3)};
  // One in a hundred points at one place, where they are more than cells are searched for
  auto clumped = uniform(600000, 3, 9);
  for (std::size_t i = 0; i < clumped.size(); i += 300)
    std::fill_n(clumped.begin() + static_cast<std::ptrdiff_t>(i), 3, 0.5f);
  const Case clump{"a clump, self", to_points(clumped, 3), std::nullopt};
  for (const Case& c : {all, some, clump}) {
    for (const std::int64_t k : {8, 5, 10, 17, 40}) {
      const problem::Prepared prepared = c.prepare(exact(k));
      EXPECT_TRUE(cuda::exact::plan_cells(prepared.problem)) << c.name << " " << k;
    }
    expect_rows(cpu_rows, {c}, each(exact, {8, 5, 10, 17, 40}));
  }
}

/// Even data and queries: as many, few, clustered ones, some that are beside the data, and the data.
std::vector<Case> even_cases(int d, bool is_float32) {
  const auto points = [&](const Coordinates& from) {
    if (is_float32) return to_points(from, d);
    Array<double> moved;
    for (const float x : from) moved.push_back(1000 + x / 3.0);
    return Points{d, std::move(moved)};
  };
  auto outside = uniform(20001, d, 12);  // a tenth of them are beside the box of the data, some far away
  for (std::size_t i = 0; i < outside.size(); i += static_cast<std::size_t>(10 * d))
    outside[i] += static_cast<float>(i) / 5000;
  const Points data = points(uniform(131071, d, 7));
  return {{"even, self", data, std::nullopt},
          {"even", data, points(uniform(131073, d, 8))},
          {"clustered queries", data, points(clusters(131073, d, 9))},
          {"fewer queries", data, points(uniform(30001, d, 10))},
          {"few queries", data, points(uniform(501, d, 11))},
          {"queries outside", data, points(outside)}};
}

TEST_F(CudaCells, WholeSearchesGiveTheBytesOfTheCpu) {
  for (const int d : {2, 3}) {
    expect_rows(cpu_rows, even_cases(d, true),
                each(exact, {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 20, 30, 31, 32, 33, 47, 63, 64}));
    expect_rows(cpu_rows, even_cases(d, false), each(exact, {8, 5, 17, 40, 8}));
  }
}

constexpr std::uint32_t k_poison = 0xa5a5a5a5u;

/// Where a word of a row is, as sectors of eight words say: in a whole sector of its row, in the last words of a sector
/// that begins before the row (a head), or in the first words of one that ends after it (a tail).
struct Word {
  bool is_whole;
  std::int64_t place_in_slot;  ///< of an id; that of a distance is `halves` words after it
  std::int64_t halves;

  Word(std::int64_t row, std::int64_t j, std::int64_t k) {
    const std::int64_t begin = row * k, end = begin + k, word = begin + j, sector = word / 8 * 8;
    const std::int64_t heads = k < 8 || begin % 8 == 0 ? 0 : 8 - begin % 8, tails = k < 8 ? k : end % 8;
    is_whole = k >= 8 && sector >= begin && sector + 8 <= end;
    const bool is_head = j < heads;
    const std::int64_t in_heads = heads == 0 ? 0 : heads <= 4 ? 4 : 8;
    halves = is_head ? in_heads : tails <= 4 ? 4 : 8;
    place_in_slot = is_head ? in_heads - heads + j : 2 * in_heads + j - (k - tails);
  }
};

class CudaRowEnds : public GpuTest {};

TEST_F(CudaRowEnds, ComeToTheirPlaces) {
  for (std::int64_t k = 1; k <= 64; ++k)
    for (const std::int64_t rows : {1, 2, 7, 8, 9, 127, 128, 129, 255, 257, 1000}) {
      Device device;
      const int slot_words = cuda::exact::slot_words_for(k);
      ASSERT_EQ(slot_words == 0, k % 8 == 0) << k;
      ASSERT_EQ(slot_words % 8, 0) << k;
      // Distance i of the rows is i + 1, and id i is −i
      const auto count = static_cast<std::size_t>(rows * k);
      std::vector<std::int32_t> ids(count), before_ids(count, std::bit_cast<std::int32_t>(k_poison));
      std::vector<float> distances(count), before_distances(count, std::bit_cast<float>(k_poison));
      std::vector<std::uint32_t> slots(static_cast<std::size_t>(rows * slot_words), k_poison);
      for (std::int64_t i = 0; i < rows * k; ++i) {
        const auto at = static_cast<std::size_t>(i);
        ids[at] = static_cast<std::int32_t>(-i);
        distances[at] = static_cast<float>(i + 1);
        const Word word(i / k, i % k, k);
        if (word.is_whole) {
          before_ids[at] = ids[at];
          before_distances[at] = distances[at];
        } else {
          const std::int64_t place = i / k * slot_words + word.place_in_slot;
          ASSERT_LT(word.place_in_slot + word.halves, slot_words) << k;
          slots[static_cast<std::size_t>(place)] = std::bit_cast<std::uint32_t>(ids[at]);
          slots[static_cast<std::size_t>(place + word.halves)] = std::bit_cast<std::uint32_t>(distances[at]);
        }
      }
      const auto d_ids = device.upload(before_ids);
      const auto d_distances = device.upload(before_distances);
      const auto d_slots = device.upload(slots);
      cuda::exact::join_row_ends({d_slots.data(), slot_words}, rows, {d_ids.data(), d_distances.data(), k, 1},
                                 device.stream());
      ASSERT_EQ(device.download(d_ids), ids) << "k=" << k << " rows=" << rows;
      ASSERT_EQ(device.download(d_distances), distances) << "k=" << k << " rows=" << rows;
    }
}

}  // namespace
}  // namespace kann::test
