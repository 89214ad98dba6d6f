// The edit distance, and the known name nearest to what was typed.
#include "base/suggest.hpp"

#include <vector>

#include "gtest/gtest.h"

namespace kann::base {
namespace {

TEST(EditDistance, CountsTheFourEdits) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("output", "output"), 0);
  EXPECT_EQ(edit_distance("ouput", "output"), 1);    // insertion
  EXPECT_EQ(edit_distance("outtput", "output"), 1);  // deletion
  EXPECT_EQ(edit_distance("outpit", "output"), 1);   // substitution
  EXPECT_EQ(edit_distance("otuput", "output"), 1);   // swap
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // 2 by the unrestricted Damerau–Levenshtein distance
}

TEST(EditDistance, IsSymmetric) {
  const std::vector<std::string_view> words = {"", "k", "data", "dtaa", "query", "output", "output-format", "verify"};
  for (const auto a : words)
    for (const auto b : words) EXPECT_EQ(edit_distance(a, b), edit_distance(b, a)) << a << ' ' << b;
}

constexpr std::string_view k_names[] = {"data", "query", "k", "output", "output-format", "device", "report", "verbose"};

TEST(NearestName, CorrectsTypingErrors) {
  EXPECT_EQ(nearest_name("ouput", k_names), "output");
  EXPECT_EQ(nearest_name("qurey", k_names), "query");
  EXPECT_EQ(nearest_name("dta", k_names), "data");
  EXPECT_EQ(nearest_name("devcie", k_names), "device");
  EXPECT_EQ(nearest_name("output-fromat", k_names), "output-format");
}

TEST(NearestName, CompletesAPrefix) {
  EXPECT_EQ(nearest_name("out", k_names), "output");
  EXPECT_EQ(nearest_name("verb", k_names), "verbose");
}

TEST(NearestName, IsEmptyIfNothingIsNear) {
  for (const std::string_view typed : {"", "x", "radius", "neighbors", "max-memory", "zzzzzzzzzzzzzzzzzzzzzzzzzz"})
    EXPECT_EQ(nearest_name(typed, k_names), "") << typed;
}

}  // namespace
}  // namespace kann::base
