// What compare() refuses is refused in blocks, in the same words.
#include <algorithm>
#include <gtest/gtest.h>
#include <span>
#include <string>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "block_comparison_support.hpp"

namespace kann::test {
namespace {

template <class F>
std::string refusal_of(ErrorKind kind, F f) {
  try {
    f();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
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
