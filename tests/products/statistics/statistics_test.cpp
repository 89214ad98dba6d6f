// distance_statistics() against sorted columns, the exact sums that it takes against integers of 128 bits, the range of
// a column, and histogram_svg(), whose bars are in proportion to the numbers of queries.
#include "kann/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>
#include <regex>
#include <string>
#include <type_traits>
#include <vector>

#include "kann/histogram.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "clouds.hpp"
#include "gtest/gtest.h"
#include "products/statistics/column_range.hpp"
#include "products/statistics/exact_sum.hpp"
#include "products/statistics/near.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

/// Rows of ascending distances; `count_of(query)` of the k neighbours are there.
Neighbors rows(std::int64_t queries, std::int64_t k, const std::function<float()>& draw,
               const std::function<std::int64_t(std::int64_t)>& count_of) {
  Neighbors out{queries, k, {}, {}};
  for (std::int64_t q = 0; q < queries; ++q) {
    std::vector<float> row;
    for (std::int64_t r = 0; r < count_of(q); ++r) row.push_back(draw());
    std::sort(row.begin(), row.end());
    for (std::int64_t r = 0; r < k; ++r) {
      const bool is_there = r < std::ssize(row);
      out.ids.push_back(is_there ? static_cast<std::int32_t>(r) : k_missing_id);
      out.distances.push_back(is_there ? row[static_cast<std::size_t>(r)] : k_infinity);
    }
  }
  return out;
}

/// The rows [begin, end) in blocks of these sizes, again and again.
RowBlocks cut_into(const Neighbors& n, std::int64_t begin, std::int64_t end, std::vector<std::int64_t> sizes) {
  return {end - begin, n.k, true, [&n, begin, end, sizes](const RowBlocks::Sink& sink) {
            std::int64_t row = begin;
            for (std::size_t i = 0; row < end; ++i) {
              const std::int64_t count = std::min(sizes[i % sizes.size()], end - row);
              const std::vector<std::int64_t> all_ids(n.ids.begin() + row * n.k, n.ids.begin() + (row + count) * n.k);
              const std::span<const std::int64_t> ids(all_ids);
              sink({row, count, n.k, {}, ids, {n.distances.data() + row * n.k, static_cast<std::size_t>(count * n.k)}});
              row += count;
            }
          }};
}

RowBlocks cut_into(const Neighbors& n, const std::vector<std::int64_t>& sizes) {
  return cut_into(n, 0, n.queries, sizes);
}

/// The smallest value that `percent` of the sorted ones do not exceed, tried one by one.
double percentile(const std::vector<double>& sorted, double percent) {
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (100.0 * static_cast<double>(i + 1) >= percent * static_cast<double>(sorted.size())) return sorted[i];
  return std::nan("");
}

void expect_equal(double got, double want) { EXPECT_TRUE(got == want || (std::isnan(got) && std::isnan(want))); }

/// To the last bit: sums are made in the same order.
void expect_the_same_in_blocks(const Neighbors& n, int dimensions, const DistanceStatistics& want) {
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{{1'000}, {5'000, 1, 0, 9'000}}) {
    const DistanceStatistics got = distance_statistics(cut_into(n, sizes), dimensions, 3);
    EXPECT_EQ(got.empty_rows, want.empty_rows);
    expect_equal(got.density.p5, want.density.p5);
    expect_equal(got.density.median, want.density.median);
    expect_equal(got.density.p95, want.density.p95);
    ASSERT_EQ(got.ranks.size(), want.ranks.size());
    for (std::size_t i = 0; i < got.ranks.size(); ++i) {
      EXPECT_EQ(got.ranks[i].rank, want.ranks[i].rank);
      EXPECT_EQ(got.ranks[i].queries, want.ranks[i].queries);
      expect_equal(got.ranks[i].mean, want.ranks[i].mean);
      expect_equal(got.ranks[i].median, want.ranks[i].median);
      expect_equal(got.ranks[i].p99, want.ranks[i].p99);
      expect_equal(got.ranks[i].max, want.ranks[i].max);
    }
  }
}

void expect_that_of_sorted_columns(const Neighbors& n, int dimensions) {
  const DistanceStatistics got = distance_statistics(n, dimensions, 2);
  expect_the_same_in_blocks(n, dimensions, got);
  for (const RankStatistics& rank : got.ranks) {
    std::vector<double> column;
    double sum = 0;
    for (std::int64_t q = 0; q < n.queries; ++q)
      if (const std::int64_t i = q * n.k + rank.rank - 1; n.ids[i] != k_missing_id) {
        column.push_back(n.distances[i]);
        sum += n.distances[i];
      }
    std::sort(column.begin(), column.end());
    EXPECT_EQ(rank.queries, std::ssize(column));
    expect_near(rank.mean, sum / static_cast<double>(column.size()));
    expect_near(rank.median, percentile(column, 50));
    expect_near(rank.p95, percentile(column, 95));
    expect_near(rank.p99, percentile(column, 99));
    expect_near(rank.max, column.empty() ? std::nan("") : column.back());
    const double mean = sum / static_cast<double>(column.size());
    double squares = 0, off = 0;
    for (const double x : column) squares += x * x, off += (x - mean) * (x - mean);
    const double count = static_cast<double>(column.size());
    expect_near(rank.rms, std::isfinite(mean) ? std::sqrt(squares / count) : mean, 1e-6);
    const double deviation = column.size() == 1 ? 0 : std::sqrt(off / (count - 1));
    if (std::isfinite(mean))
      EXPECT_NEAR(rank.deviation, deviation, 1e-6 * deviation + 1e-12 * mean);
    else
      EXPECT_TRUE(std::isnan(rank.deviation));
  }

  std::vector<double> densities;
  std::int64_t empty = 0, coincident = 0;
  for (std::int64_t q = 0; q < n.queries; ++q) {
    const auto begin = n.ids.begin() + q * n.k;
    const double m = static_cast<double>(std::count_if(begin, begin + n.k, [](auto id) { return id != k_missing_id; }));
    if (m == 0) {
      ++empty;
      continue;
    }
    const double r = n.distances[q * n.k + static_cast<std::int64_t>(m) - 1];
    if (r == 0) {
      ++coincident;
      continue;
    }
    densities.push_back(m / (dimensions == 3 ? 4 * std::numbers::pi / 3 * r * r * r : std::numbers::pi * r * r));
  }
  std::sort(densities.rbegin(), densities.rend());  // a percentile of spacings, which are in the other order
  EXPECT_EQ(got.empty_rows, empty);
  EXPECT_EQ(got.density.coincident, coincident);
  for (const auto& [value, percent] : {std::pair{got.density.p95, 5}, {got.density.median, 50}, {got.density.p5, 95}}) {
    expect_near(value, percentile(densities, percent), 1e-5);  // the spacing is a float32
  }
}

TEST(DistanceStatistics, IsThatOfSortedColumns) {
  Random r(3);
  const std::vector<std::function<float()>> draws{[&] { return static_cast<float>(r.uniform()); },
                                                  [&] { return static_cast<float>(r.below(3)); },
                                                  [&] { return static_cast<float>(std::exp(80 * r.uniform() - 40)); },
                                                  [&] { return r.below(9) ? 1.5f : k_infinity; },
                                                  [] { return 0.f; },
                                                  [&] { return std::nextafter(1.f, r.below(2) ? 0.f : 2.f); }};
  for (const auto& draw : draws)
    for (const std::int64_t queries : {0, 1, 2, 19, 20, 21, 100, 101, 4095, 4097, 9000})
      for (const std::int64_t k : {0, 1, 2, 8}) {
        SCOPED_TRACE(std::to_string(queries) + " x " + std::to_string(k));
        for (const int d : {2, 3}) {
          expect_that_of_sorted_columns(rows(queries, k, draw, [&](auto) { return k; }), d);
          expect_that_of_sorted_columns(
              rows(queries, k, draw, [&](auto) { return static_cast<std::int64_t>(r.below(k + 1)); }), d);
        }
      }
}

TEST(DistanceStatistics, ListsFewRanksOfLongRows) {
  Random r(5);
  const auto ranks = [&](std::int64_t k) {
    std::vector<std::int64_t> out;
    const Neighbors n = rows(
        30, k, [&] { return static_cast<float>(r.uniform()); }, [&](auto) { return k; });
    for (const RankStatistics& rank : distance_statistics(n, 3).ranks) out.push_back(rank.rank);
    expect_that_of_sorted_columns(n, 3);
    return out;
  };
  EXPECT_EQ(ranks(3), (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(ranks(16).size(), 16u);
  EXPECT_EQ(ranks(17).back(), 17);
  EXPECT_EQ(ranks(32).size(), 17u);
  const std::vector<std::int64_t> many = ranks(1000);
  EXPECT_EQ(std::vector(many.begin() + 15, many.end()), (std::vector<std::int64_t>{16, 32, 64, 128, 256, 512, 1000}));
}

TEST(DistanceStatistics, AreTheSameOnAnyNumberOfThreads) {
  Random r(7);
  const Neighbors n = rows(
      50'000, 3, [&] { return static_cast<float>(std::exp(r.uniform())); }, [](auto) { return 3; });
  const DistanceStatistics one = distance_statistics(n, 3, 1);
  for (const int threads : {2, 3, 7, 64}) {
    const DistanceStatistics many = distance_statistics(n, 3, threads);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(many.ranks[i].mean, one.ranks[i].mean);
      EXPECT_EQ(many.ranks[i].p99, one.ranks[i].p99);
    }
    EXPECT_EQ(many.density.median, one.density.median);
  }
}

/// A lattice of one point per unit: the sphere of the 6 nearest has radius 1.
TEST(DistanceStatistics, DensityIsThatOfTheBallOfTheNeighbors) {
  const Neighbors n{1, 6, {1, 2, 3, 4, 5, 6}, {1, 1, 1, 1, 1, 1}};
  EXPECT_NEAR(distance_statistics(n, 3).density.median, 6 / (4 * std::numbers::pi / 3), 1e-6);
  EXPECT_NEAR(distance_statistics(n, 2).density.median, 6 / std::numbers::pi, 1e-6);
}

TEST(DistanceStatistics, RefusesWhatIsNoResult) {
  const auto message = [](const auto& rows, int dimensions) {
    return refusal_of(ErrorKind::bad_input, [&] { distance_statistics(rows, dimensions); });
  };
  EXPECT_EQ(message(Neighbors{1, 1, {0}, {0}}, 4), "statistics: points of 4 coordinates");
  EXPECT_EQ(message(Neighbors{2, 1, {0}, {0}}, 3),
            "statistics: 2 rows of 1 neighbours do not match 1 ids and 1 distances");
  const RowBlocks most{(std::int64_t{1} << 39) + 1, 1, true, [](const RowBlocks::Sink&) { FAIL(); }};
  EXPECT_EQ(message(most, 3), "statistics: more than 549755813888 rows");
}

__extension__ using Integer = __int128;

std::vector<std::int64_t> mantissas_of(const std::vector<float>& values) {
  std::vector<std::int64_t> mantissas(statistics::k_exponents);
  for (const float value : values) statistics::add_exactly(value, mantissas);
  return mantissas;
}

double sum_of(const std::vector<float>& values) { return statistics::rounded_sum(mantissas_of(values)); }

TEST(ExactSum, IsThatOfIntegers) {
  Random r(11);
  for (const int octaves : {0, 1, 8, 20, 30})
    for (const std::size_t count : {0, 1, 2, 100, 100'000}) {
      std::vector<float> values;
      Integer want = 0;  // in units of 2⁻⁶⁰
      for (std::size_t i = 0; i < count; ++i) {
        const double magnitude = std::ldexp(1.0, static_cast<int>(r.below(2 * octaves + 1)) - octaves);
        values.push_back(static_cast<float>(magnitude * (1 + r.uniform())));
        want += static_cast<Integer>(std::ldexp(static_cast<double>(values.back()), 60));
      }
      const double sum = std::ldexp(static_cast<double>(want), -60);
      EXPECT_NEAR(sum_of(values), sum, 4e-16 * sum);
      const std::vector<std::int64_t> mantissas = mantissas_of(values);
      std::ranges::sort(values);
      EXPECT_EQ(mantissas_of(values), mantissas);
    }
}

TEST(ExactSum, LosesNoSmallNumber) {
  std::vector<float> values(1 << 20, 1);
  values.insert(values.begin(), 0x1p60f);  // 1 is 1/256 of what the last bit of its sum stands for
  EXPECT_EQ(sum_of(values), 0x1p60 + 0x1p20);
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), 0x1p60);
}

TEST(ExactSum, OfTheLargestAndTheSmallest) {
  using Limits = std::numeric_limits<float>;
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({0, 0}), 0);
  EXPECT_EQ(sum_of({Limits::denorm_min()}), 0x1p-149);
  EXPECT_EQ(sum_of({Limits::denorm_min(), Limits::min()}), 0x1p-149 + 0x1p-126);
  EXPECT_EQ(sum_of({Limits::max(), Limits::max(), Limits::max()}), 3 * static_cast<double>(Limits::max()));
  EXPECT_EQ(sum_of({1, Limits::infinity()}), std::numeric_limits<double>::infinity());
  std::vector<std::int64_t> most(statistics::k_exponents);  // as many of the largest mantissas as may be
  most[127] = ((std::int64_t{1} << 24) - 1) * statistics::k_most_in_sum;
  EXPECT_GT(most[127], 0);
  EXPECT_EQ(statistics::rounded_sum(most), 0x1p39 * (2 - 0x1p-23));
}

Neighbors nearest(const std::vector<float>& distances) {
  Neighbors n{static_cast<std::int64_t>(distances.size()), 1, {}, {}};
  for (const float d : distances) {
    n.ids.push_back(d < 0 ? k_missing_id : 0);
    n.distances.push_back(d < 0 ? std::numeric_limits<float>::infinity() : d);
  }
  return n;
}

std::string svg_of(const std::vector<float>& distances) {
  const Neighbors n = nearest(distances);
  return histogram_svg(n, distance_statistics(n, 3, 1));
}

struct Bar {
  double x, height;
};

std::vector<Bar> bars_of(const std::string& svg) {
  std::vector<Bar> bars;
  const std::regex bar(R"re(<rect x="([0-9.]+)" y="[0-9.]+" width="[0-9.]+" height="([0-9.]+)" fill="#3a6ea5"/>)re");
  for (std::sregex_iterator m(svg.begin(), svg.end(), bar), end; m != end; ++m)
    bars.push_back({std::stod((*m)[1]), std::stod((*m)[2])});
  return bars;
}

/// Every tag that is opened is closed, and no number is one that a reader refuses.
void expect_well_formed(const std::string& svg) {
  EXPECT_TRUE(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
  std::size_t opened = 0, closed = 0;
  for (std::size_t i = 0; (i = svg.find("<text", i)) != svg.npos; ++i) ++opened;
  for (std::size_t i = 0; (i = svg.find("</text>", i)) != svg.npos; ++i) ++closed;
  EXPECT_EQ(opened, closed);
  for (const char* attribute : {"=\"nan", "=\"inf", "=\"-nan", "Mnan", "Linf"})
    EXPECT_EQ(svg.find(attribute), svg.npos);
}

TEST(Histogram, BarsAreInProportionToTheQueries) {
  std::vector<float> distances;  // 0.5 … 5.5, once to six times: an axis to 6, ten bars per unit
  for (int i = 0; i < 6; ++i)
    distances.insert(distances.end(), static_cast<std::size_t>(i + 1), static_cast<float>(i) + .55f);
  const std::string svg = svg_of(distances);
  const std::vector<Bar> bars = bars_of(svg);
  ASSERT_EQ(bars.size(), 6u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(bars[i].height / bars[0].height, static_cast<double>(i + 1), 1e-2);
    EXPECT_NEAR(bars[i].x - bars[0].x, static_cast<double>(i) * (bars[1].x - bars[0].x), 1e-1);
  }
  EXPECT_NE(svg.find(">21 queries, mean 3.883, maximum 5.55<"), svg.npos) << svg;
  EXPECT_NE(svg.find(">median 4.55<"), svg.npos) << svg;
  expect_well_formed(svg);
}

TEST(Histogram, FarDistancesAreWords) {
  std::vector<float> distances(995, 1);
  distances.insert(distances.end(), 5, 1000);
  distances.insert(distances.end(), 3, -1);
  const std::string svg = svg_of(distances);
  EXPECT_EQ(bars_of(svg).size(), 1u);
  EXPECT_NE(svg.find(">1000 queries, mean "), svg.npos) << svg;
  EXPECT_NE(svg.find("; 5 beyond 1; 3 without a neighbour<"), svg.npos) << svg;
  expect_well_formed(svg);
}

TEST(Histogram, AnyDistancesGiveAPicture) {
  const float infinity = std::numeric_limits<float>::infinity(), largest = std::numeric_limits<float>::max();
  for (const std::vector<float>& distances : {std::vector<float>{},
                                              {-1},
                                              {0},
                                              {0, 0, 0},
                                              {infinity},
                                              {infinity, 1, 2},
                                              {largest, largest},
                                              {1e-45f, 1e-45f},
                                              {0, 1e-45f, largest},
                                              {1, 1, 1, 1}}) {
    const std::string svg = svg_of(distances);
    expect_well_formed(svg);
    EXPECT_LE(bars_of(svg).size(), distances.size());
    EXPECT_LT(svg.size(), 20'000u);
  }
  EXPECT_NE(svg_of({-1}).find(">1 queries, none with a neighbour<"), std::string::npos);
}

TEST(Histogram, RefusesWhatIsNoResult) {
  EXPECT_NE(refusal_of(ErrorKind::bad_input, [] { histogram_svg(Neighbors{2, 1, {0}, {0}}, {}); }), "");
  EXPECT_NE(histogram_svg(Neighbors{3, 0, {}, {}}, {}).find("none with a neighbour"), std::string::npos);
}

}  // namespace
}  // namespace kann::test

namespace kann::statistics {
namespace {

template <class T>
class ColumnRangeOf : public testing::Test {};
using Types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                             std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ColumnRangeOf, Types);

template <class T>
using Held = std::conditional_t<std::is_floating_point_v<T>, double,
                                std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>>;

TYPED_TEST(ColumnRangeOf, AllBlocksTogetherGiveTheSmallestAndTheLargestValue) {
  std::mt19937_64 random(5);
  for (const std::size_t size : {1u, 2u, 7u, 1000u})
    for (const std::size_t block : {1u, 3u, 1000u}) {
      Array<TypeParam> all(size);
      for (TypeParam& value : all) value = static_cast<TypeParam>(random());
      ColumnRange range;
      for (std::size_t first = 0; first < size; first += block) {
        Array<TypeParam> part(all.begin() + static_cast<std::ptrdiff_t>(first),
                              all.begin() + static_cast<std::ptrdiff_t>(std::min(size, first + block)));
        range.add(part);
      }
      EXPECT_EQ(range.finite, static_cast<std::int64_t>(size));
      EXPECT_EQ(range.others, 0);
      EXPECT_EQ(std::get<Held<TypeParam>>(range.minimum), static_cast<Held<TypeParam>>(*std::ranges::min_element(all)));
      EXPECT_EQ(std::get<Held<TypeParam>>(range.maximum), static_cast<Held<TypeParam>>(*std::ranges::max_element(all)));
    }
}

TYPED_TEST(ColumnRangeOf, ItsLimitsAreHeldExactly) {
  ColumnRange range;
  range.add(Array<TypeParam>{std::numeric_limits<TypeParam>::max(), std::numeric_limits<TypeParam>::lowest()});
  EXPECT_EQ(std::get<Held<TypeParam>>(range.minimum), std::numeric_limits<TypeParam>::lowest());
  EXPECT_EQ(std::get<Held<TypeParam>>(range.maximum), std::numeric_limits<TypeParam>::max());
}

TEST(ColumnRange, CountsWhatIsNoNumber) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  ColumnRange range;
  range.add(Array<double>{nan, infinity});
  EXPECT_EQ(range.finite, 0);
  EXPECT_EQ(range.others, 2);
  range.add(Array<double>{-infinity, 3, -4.5, nan});
  range.add(Array<double>{});
  EXPECT_EQ(range.finite, 2);
  EXPECT_EQ(range.others, 4);
  EXPECT_EQ(std::get<double>(range.minimum), -4.5);
  EXPECT_EQ(std::get<double>(range.maximum), 3);
}

}  // namespace
}  // namespace kann::statistics
