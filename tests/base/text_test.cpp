// What messages make of names with bytes that a terminal would obey, or that would not be seen; and the known name
// nearest to what was typed.
#include <vector>

#include "base/printable.hpp"
#include "base/suggest.hpp"
#include "gtest/gtest.h"

namespace kann::base {
namespace {

TEST(Printable, KeepsTextOfAnyLanguage) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("plain name.ply"), "plain name.ply");
  EXPECT_EQ(printable("café €😀.ply"), "café €😀.ply");
  EXPECT_EQ(printable("größe высота 高さ ارتفاع"), "größe высота 高さ ارتفاع");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0");  // the first character after C1
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("a\nb\x1b[2J\x7f"), "a\\x0ab\\x1b[2J\\x7f");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "2Jb\xc2\x80\xc2\x9f"),
            "a\\xc2\\x9b2Jb\\xc2\\x80\\xc2\\x9f");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("caf\xe9.ply"), "caf\\xe9.ply");
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc1\xbf"), "\\xc1\\xbf");           // DEL in two bytes
}

/// U+202E would show "\u202Eyvas" as "savy", and what follows it from right to left.
TEST(Printable, EscapesWhatChangesTheDirectionOrIsNotSeen) {
  for (const char* const hidden :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069", "\ufeff"}) {
    const std::string shown = printable("a" + std::string(hidden) + "b");
    EXPECT_TRUE(shown.starts_with("a\\x") && shown.ends_with("b")) << shown;
    EXPECT_EQ(shown.size(), 2 + 4 * std::string_view(hidden).size()) << shown;
  }
  for (const char* const seen : {"\u061b", "\u061d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a", "\ufefe"})
    EXPECT_EQ(printable(seen), seen);
}

TEST(WholeCharacters, AreNotCut) {
  EXPECT_EQ(whole_characters("abc", 3), 3u);
  EXPECT_EQ(whole_characters("abc", 2), 2u);
  EXPECT_EQ(whole_characters("aß€", 6), 6u);
  EXPECT_EQ(whole_characters("aß€", 5), 3u);
  EXPECT_EQ(whole_characters("aß€", 2), 1u);
  EXPECT_EQ(whole_characters("\xe9\xe9\xe9", 2), 2u);
  EXPECT_EQ(whole_characters("", 0), 0u);
}

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
