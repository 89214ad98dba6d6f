// Rows that come in blocks are compared as compare() compares all rows in memory, right and wrong ones; and what it
// refuses is refused in the same words.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kann/compare.hpp"

#include "clouds.hpp"
#include "part.hpp"
#include "products/accuracy/accuracy_of_blocks.hpp"
#include "products/accuracy/check_reference.hpp"
#include "products/accuracy/exact_answer.hpp"
#include "products/accuracy/periodic_answer.hpp"
#include "products/accuracy/verdicts.hpp"
#include "refusal.hpp"

namespace kann::test {
namespace {

using Ids = std::vector<std::int64_t>;

/// Some points of a cloud, of its own type.
Points points_at(const Points& cloud, const Ids& rows) {
  return std::visit(
      [&](const auto& all) {
        std::decay_t<decltype(all)> some;
        for (const std::int64_t row : rows)
          some.insert(some.end(), all.begin() + row * cloud.dimensions, all.begin() + (row + 1) * cloud.dimensions);
        return Points{cloud.dimensions, std::move(some)};
      },
      cloud.coordinates);
}
Points points_from(const Points& cloud, std::int64_t begin, std::int64_t end) {
  Ids rows;
  for (std::int64_t row = begin; row < end; ++row) rows.push_back(row);
  return points_at(cloud, rows);
}

/// What is compared.
struct Comparison {
  Points data, queries;
  Neighbors result, reference;
  AccuracyOptions options = {};
};

/// Compares in blocks of `block` rows. `offset` is added to the numbers of all data points.
Accuracy compared_in_blocks(const Comparison& c, std::int64_t block, std::int64_t offset = 0) {
  const std::int64_t n = c.queries.size(), k = c.result.k, reference_k = c.reference.k;
  accuracy::FactsOfBlocks facts(c.data.dimensions, c.data.size());
  for (std::int64_t row = 0; row < c.data.size(); row += block)
    facts.add_data(row, points_from(c.data, row, std::min(c.data.size(), row + block)));
  for (std::int64_t row = 0; row < n; row += block)
    facts.add_queries(points_from(c.queries, row, std::min(n, row + block)));
  accuracy::AccuracyOfBlocks comparison(facts.facts(), c.data.dimensions, n, c.options);
  for (std::int64_t first = 0; first < n; first += block) {
    const std::int64_t end = std::min(n, first + block);
    const Ids ids(c.result.ids.begin() + first * k, c.result.ids.begin() + end * k),
        reference_ids(c.reference.ids.begin() + first * reference_k, c.reference.ids.begin() + end * reference_k);
    Ids rows = ids;
    rows.insert(rows.end(), reference_ids.begin(), reference_ids.end());
    if (c.data.size() > 0) rows.push_back(first % c.data.size());  // a point that need not be there
    std::erase(rows, k_missing_id);
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    const Points data = points_at(c.data, rows), queries = points_from(c.queries, first, end);
    const auto moved = [offset](Ids all) {
      for (std::int64_t& id : all) id += id == k_missing_id ? 0 : offset;
      return all;
    };
    const Ids moved_ids = moved(ids), moved_reference = moved(reference_ids), moved_rows = moved(rows);
    const std::span<const float> distances(c.result.distances);
    accuracy::check_reference_ids(moved_reference, reference_k, first, c.data.size() + offset, Images::nearest,
                                  "the reference");
    comparison.add(comparison.clouds_of({data,
                                         queries,
                                         {first,
                                          end - first,
                                          k,
                                          {},
                                          std::span(moved_ids),
                                          distances.subspan(static_cast<std::size_t>(first * k), moved_ids.size())},
                                         Rows{first, end - first, reference_k, {}, std::span(moved_reference), {}},
                                         moved_rows}),
                   nullptr);
  }
  return comparison.result();
}

Points with_nans(Points points, std::uint64_t seed) {
  Random r(seed);
  std::visit(
      [&](auto& all) {
        for (auto& x : all)
          if (r.below(20) == 0) x = r.below(2) ? std::numeric_limits<float>::quiet_NaN() : -HUGE_VALF;
      },
      points.coordinates);
  return points;
}

Points as_given(const Coordinates& c, int d, bool is_float64, std::uint64_t seed) {
  if (!is_float64) return with_nans(to_points(c, d), seed);
  std::vector<double> doubles;
  for (const float x : c) doubles.push_back(1.1 * x);
  return with_nans(to_doubles(doubles, d), seed);
}

/// Makes some rows of a result wrong, each in one of many ways.
void spoil(Neighbors& rows, std::int64_t points, std::uint64_t seed) {
  Random r(seed);
  for (std::int64_t q = 0; q < rows.queries && rows.k > 0 && points > 0; ++q) {
    const std::int64_t rank = q * rows.k + static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(rows.k)));
    std::int32_t& id = rows.ids[rank];
    float& distance = rows.distances[rank];
    switch (r.below(12)) {
      case 0:
        id = static_cast<std::int32_t>(r.below(static_cast<std::uint64_t>(points)));
        break;
      case 1:
        id = k_missing_id;
        break;
      case 2:
        distance *= 1.5f;
        break;
      case 3:
        distance = std::numeric_limits<float>::quiet_NaN();
        break;
      case 4:
        id = rows.ids[q * rows.k];
        break;
      case 5:
        std::swap(id, rows.ids[q * rows.k]);
        break;
      case 6:
        distance = -distance;
        break;
      case 7:
        id = static_cast<std::int32_t>(q % points);  // in a self-query, the query itself
        break;
    }
  }
}

/// Makes some neighbours of a reference farther or missing, so that no id is twice in its row.
void weaken(Neighbors& rows, std::int64_t points, std::uint64_t seed) {
  Random r(seed);
  for (std::int64_t q = 0; q < rows.queries; ++q)
    for (std::int64_t rank = 0; rank < rows.k; ++rank) {
      if (r.below(8) > 0) continue;
      const auto begin = rows.ids.begin() + q * rows.k;
      const auto id = static_cast<std::int32_t>(r.below(static_cast<std::uint64_t>(points + 1))) - 1;
      if (id == k_missing_id || std::find(begin, begin + rows.k, id) == begin + rows.k) begin[rank] = id;
    }
}

Comparison usual(std::int64_t n = 300) {
  Comparison c;
  c.data = as_given(uniform(n, 3, 1), 3, true, 1);
  c.queries = as_given(uniform(200, 3, 2), 3, true, 2);
  c.result = exact_answer(c.data, c.queries, 4);
  c.reference = c.result;
  spoil(c.result, n, 3);
  weaken(c.reference, n, 4);
  return c;
}

/// Returns what compare() says.
Accuracy expect_one_verdict(const Comparison& c) {
  const Accuracy want = compare(c.data, c.queries, c.result, c.reference, c.options);
  for (const std::int64_t block : {std::int64_t{1}, std::int64_t{7}, std::int64_t{100}, c.queries.size() + 1}) {
    SCOPED_TRACE("blocks of " + std::to_string(block));
    expect_same(compared_in_blocks(c, block), want);
  }
  return want;
}

/// What the comparisons of a test have found: each should be there.
struct Seen {
  std::int64_t faulty = 0, nearer = 0, different = 0, identical = 0, not_judged = 0;

  void add(const Accuracy& a, std::int64_t queries) {
    faulty += a.faulty;
    nearer += a.nearer;
    different += a.judged - a.identical;
    identical += a.identical;
    not_judged += queries - a.judged;
  }
  void expect_all() const {
    for (const std::int64_t count : {faulty, nearer, different, identical, not_judged}) EXPECT_GT(count, 0);
  }
};

TEST(BlockComparison, IsThatOfCompare) {
  Seen seen;
  Part part;
  std::uint64_t seed = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const bool is_float64 : {false, true})
        for (const bool is_self : {false, true})
          for (const std::int64_t reference_k : {3, 5, 9}) {
            ++seed;
            if (!part.takes_next()) continue;
            SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " seed=" + std::to_string(seed));
            Comparison c;
            c.data = as_given(kind.make(130, d, seed), d, is_float64, seed);
            c.queries = is_self ? c.data : as_given(kind.make(115, d, seed + 1), d, seed % 2, seed + 1);
            c.options = {.self_query = is_self, .include_self = seed % 5 == 0, .exact = seed % 3 > 0, .threads = 2};
            if (seed % 4 == 0) c.options.radius = .3;
            if (seed % 7 == 0) c.options.tolerance = .1;
            const bool drops_self = is_self && !c.options.include_self;
            c.result = exact_answer(c.data, c.queries, 5, drops_self);
            c.reference = exact_answer(c.data, c.queries, reference_k, drops_self && seed % 2);
            spoil(c.result, c.data.size(), seed);
            weaken(c.reference, c.data.size(), seed);
            seen.add(expect_one_verdict(c), c.queries.size());
          }
  seen.expect_all();
}

TEST(BlockComparison, IsThatOfCompareInAPeriodicBox) {
  Seen seen;
  Part part;
  std::uint64_t seed = 0;
  for (const CloudKind& kind : all_clouds())
    for (const int d : {2, 3})
      for (const std::vector<double>& box : {std::vector<double>{1, 1, 1}, {.3, 0, .3}, {0, 7, 0}, {1e-3, .5, 100}}) {
        ++seed;
        if (!part.takes_next()) continue;
        SCOPED_TRACE(kind.name + " d=" + std::to_string(d) + " seed=" + std::to_string(seed));
        const std::vector<double> sides(box.begin(), box.begin() + d);
        const bool is_self = seed % 3 == 0;
        Comparison c;
        c.data = as_given(kind.make(120, d, seed), d, seed % 2, seed);
        c.queries = is_self ? c.data : as_given(kind.make(90, d, seed + 1), d, seed % 2, seed + 1);
        c.options = {.self_query = is_self, .exact = true, .periodic = sides, .threads = 2};
        if (seed % 5 == 0) c.options.radius = .2;
        const Points& queries = is_self ? c.data : c.queries;
        c.result = periodic_answer(c.data, queries, sides, 5, is_self);
        c.reference = periodic_answer(c.data, queries, sides, 6, is_self);
        spoil(c.result, c.data.size(), seed);
        weaken(c.reference, c.data.size(), seed);
        seen.add(expect_one_verdict(c), c.queries.size());
      }
  seen.expect_all();
}

TEST(BlockComparison, TakesAnyNumbersOfPointsAndNeighbours) {
  for (const std::int64_t n : {0, 1, 2, 4, 5, 6})
    for (const std::int64_t m : {0, 1, 2, 6})
      for (const std::int64_t k : {0, 1, 5, 6})
        for (const std::int64_t reference_k : {0, 1, 5, 9}) {
          SCOPED_TRACE(std::to_string(n) + " x " + std::to_string(m) + " k " + std::to_string(k) + " reference " +
                       std::to_string(reference_k));
          Comparison c;
          c.data = to_points(uniform(n, 3, 3), 3);
          c.queries = to_points(uniform(m, 3, 4), 3);
          c.result = exact_answer(c.data, c.queries, k);
          c.reference = exact_answer(c.data, c.queries, reference_k);
          c.options.exact = true;
          EXPECT_EQ(expect_one_verdict(c).faulty, 0);
          c.queries = c.data;
          c.result = exact_answer(c.data, c.queries, k, true);
          c.reference = exact_answer(c.data, c.queries, reference_k);
          c.options.self_query = true;
          EXPECT_EQ(expect_one_verdict(c).faulty, 0);
        }
}

TEST(BlockComparison, JudgesTheSampleOfCompare) {
  Comparison c = usual();
  for (const std::int64_t sample : {1, 17, 150, 1000}) {
    c.options.sample = sample;
    EXPECT_GT(expect_one_verdict(c).judged, 0);
  }
}

TEST(BlockComparison, TakesIdsPastInt32) {
  const Comparison c = usual();
  const Accuracy want = compare(c.data, c.queries, c.result, c.reference, c.options);
  for (const std::int64_t block : {1, 7, 300}) {
    Accuracy got = compared_in_blocks(c, block, std::int64_t{1} << 40);
    EXPECT_NE(got.first_fault, want.first_fault);  // it names an id
    EXPECT_NE(got.first_fault.find(" id 1099511"), std::string::npos) << got.first_fault;
    got.first_fault = want.first_fault;
    expect_same(got, want);
  }
}

/// Whether a neighbour is missing depends on all of the data, not on what a block holds of them.
TEST(BlockComparison, FindsRowsThatAreTooShort) {
  Comparison c = usual(6);
  for (const std::int64_t k : {4, 5, 6, 7}) {
    c.result = exact_answer(c.data, c.queries, k);
    c.reference = exact_answer(c.data, c.queries, 1);
    c.options.exact = true;
    std::int64_t shortened = 0;
    for (std::int64_t q = 0; q < c.queries.size(); q += 3) {
      std::fill_n(c.result.ids.begin() + q * k, k, k_missing_id);
      std::fill_n(c.result.distances.begin() + q * k, k, k_infinity);
      shortened += is_finite(c.queries, q);
    }
    EXPECT_EQ(expect_one_verdict(c).faulty, shortened);
  }
}

TEST(BlockComparison, ReportsTheProgressOfAllBlocks) {
  Comparison c = usual();
  std::vector<double> fractions;
  c.options.threads = 1;
  c.options.on_progress = [&](double fraction) { fractions.push_back(fraction); };
  compared_in_blocks(c, 50);
  ASSERT_GE(fractions.size(), 4u);
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_LE(fractions.front(), .25);
  EXPECT_EQ(fractions.back(), 1);
}

TEST(BlockComparison, RefusesWhatCompareRefuses) {
  const auto expect_refused = [](const Comparison& c, ErrorKind kind = ErrorKind::bad_input) {
    const std::string want = refusal_of(kind, [&] { compare(c.data, c.queries, c.result, c.reference, c.options); });
    EXPECT_NE(want, "");
    EXPECT_EQ(refusal_of(kind, [&] { compared_in_blocks(c, 7); }), want);
  };
  Comparison c = usual();
  c.reference.ids[4 * 100 + 1] = c.reference.ids[4 * 100] = 5;
  expect_refused(c);
  c = usual();
  c.options.sample = -1;
  expect_refused(c, ErrorKind::usage);
  c.options = {.radius = -1};
  expect_refused(c, ErrorKind::usage);
  c.options = {.exact = true, .periodic = {1, 1}};
  expect_refused(c, ErrorKind::usage);
  c.options = {.exact = true, .periodic = {1, 1, 1, 1}};
  expect_refused(c, ErrorKind::usage);
  c.options = {.periodic = {1, 1, 1}};
  expect_refused(c, ErrorKind::usage);
}

TEST(BlockComparison, RefusesIdsThatNoPointHas) {
  const Points data = to_points(uniform(2, 2, 1), 2), query = to_points(uniform(1, 2, 2), 2);
  const Ids data_rows{0, 2}, right{2};
  const Array<float> distance{1};
  const auto message = [&](const Ids& ids, const Ids& reference) {
    return refusal_of(ErrorKind::bad_input, [&] {
      accuracy::AccuracyOfBlocks comparison(accuracy::facts_of(data, query), 2, 20, {});
      const Rows rows{9, 1, 1, {}, std::span(ids), distance}, stored{9, 1, 1, {}, std::span(reference), {}};
      comparison.add(comparison.clouds_of({data, query, rows, stored, data_rows}), nullptr);
    });
  };
  EXPECT_EQ(message(right, right), "");
  for (const std::int64_t wrong : {1, 3, -2}) {
    const std::string what = "accuracy: row 9 has id " + std::to_string(wrong) + " (the data have no such point)";
    EXPECT_EQ(message({wrong}, right), what);
    EXPECT_EQ(message(right, {wrong}), what);
  }
}

TEST(CheckReference, FindsTheSameInBlocks) {
  std::int64_t refused = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random r(seed);
    Neighbors reference{40, static_cast<std::int64_t>(r.below(5)), {}, {}};
    for (std::int64_t i = 0; i < reference.queries * reference.k; ++i)
      reference.ids.push_back(static_cast<std::int32_t>(r.below(3000)) - 1 - (r.below(300) == 0));
    const std::string want = refusal_of(ErrorKind::bad_input, [&] { check_reference(reference, 40, 2980, "t.bin"); });
    refused += !want.empty();
    const Ids ids(reference.ids.begin(), reference.ids.end());
    for (const std::int64_t block : {1, 7, 40})
      EXPECT_EQ(refusal_of(ErrorKind::bad_input,
                           [&] {
                             const auto k = static_cast<std::size_t>(reference.k);
                             for (std::int64_t first = 0; first < 40; first += block)
                               accuracy::check_reference_ids(
                                   std::span(ids).subspan(static_cast<std::size_t>(first) * k,
                                                          static_cast<std::size_t>(std::min(block, 40 - first)) * k),
                                   reference.k, first, 2980, Images::nearest, "t.bin");
                           }),
                want)
          << seed;
  }
  EXPECT_GT(refused, 20);
  EXPECT_LT(refused, 180);
  EXPECT_EQ(refusal_of(ErrorKind::bad_input, [] { accuracy::check_reference_rows(1, 2, "t.bin"); }),
            "t.bin: not a row per query (got 1, need 2)");
}

}  // namespace
}  // namespace kann::test
