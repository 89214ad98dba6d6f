// Numbers and words of option values: what is accepted, and the message of each refusal.
#include "cli/options/values.hpp"

#include "kann/error.hpp"

#include "gtest/gtest.h"

namespace kann::cli {
namespace {

std::string message_of(auto f) {
  try {
    f();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "";
}

TEST(WholeNumber, AcceptsDecimalDigitsWithinTheBounds) {
  EXPECT_EQ(whole_number({"--k", "8"}, 1), 8);
  EXPECT_EQ(whole_number({"--k", "0008"}, 1), 8);
  EXPECT_EQ(whole_number({"--k", "9223372036854775807"}, 1), k_no_limit);
  EXPECT_EQ(whole_number({"--threads", "0"}, 0, 4), 0);
  EXPECT_EQ(whole_number({"--threads", "4"}, 0, 4), 4);
}

TEST(WholeNumber, RefusesAllOtherTexts) {
  for (const char* text : {"abc", "5.5", "", "-3", "0", "1e3", " 8", "8 ", "+8", "0x8", "5abc", "--", "\t1"})
    EXPECT_EQ(message_of([&] {
                whole_number({"--k", text}, 1);
              }),
              "--k expects a whole number of at least 1, got '" + std::string(text) + "'");
}

TEST(ByteCount, TakesUnitsInEitherCaseAndABlankBeforeThem) {
  for (const char* text : {"60MB", "60 MB", "60mb", "60 mB", "60000000", "60000KB"})
    EXPECT_EQ(byte_count({"--max-memory", text}), 60e6) << text;
  for (const char* text : {"4G", "4g", "4GiB", "4 gib", "4096M"})
    EXPECT_EQ(byte_count({"--max-memory", text}), 4.0 * (1 << 30)) << text;
}

TEST(WholeNumber, NamesBothBoundsWhereThereAreTwo) {
  EXPECT_EQ(message_of([] {
              whole_number({"--threads", "64"}, 1, 63);
            }),
            "--threads expects a whole number from 1 to 63, got '64'");
}

TEST(WholeNumber, NamesTheMaximumForALargerNumber) {
  for (const char* text : {"9223372036854775808", "99999999999999999999999999999999999"})
    EXPECT_EQ(message_of([&] {
                whole_number({"--k", text}, 1);
              }),
              "--k expects a whole number from 1 to 9223372036854775807, got '" + std::string(text) + "'");
  EXPECT_EQ(message_of([] {
              whole_number({"--k", "-99999999999999999999"}, 1);
            }),
            "--k expects a whole number of at least 1, got '-99999999999999999999'");
}

TEST(OddNumber, AcceptsOddNumbersOnly) {
  EXPECT_EQ(odd_number({"--shifts", "1"}, 1023), 1);
  EXPECT_EQ(odd_number({"--shifts", "17"}, 1023), 17);
  for (const char* text : {"2", "0", "-1", "", "5.0", "x", "4294967297"})
    EXPECT_EQ(message_of([&] {
                odd_number({"--shifts", text}, 1023);
              }),
              "--shifts expects an odd whole number from 1 to 1023, got '" + std::string(text) + "'");
}

TEST(UnitFraction, AcceptsDecimalsFromZeroToOne) {
  EXPECT_EQ(unit_fraction({"--min-recall", "0.97"}), 0.97);
  EXPECT_EQ(unit_fraction({"--min-recall", "1"}), 1);
  EXPECT_EQ(unit_fraction({"--min-recall", "0"}), 0);
  EXPECT_EQ(unit_fraction({"--min-recall", "9.5e-1"}), 0.95);
  for (const char* text : {"1.01", "-0.1", "-0", "nan", "inf", "97%", "", "0,97", " 0.5", "0x1p-1"})
    EXPECT_EQ(message_of([&] {
                unit_fraction({"--min-recall", text});
              }),
              "--min-recall expects a number from 0 to 1, got '" + std::string(text) + "'");
}

TEST(OneOf, NamesTheChoices) {
  const auto choose = [](const char* text) { return one_of<int>({"KANN_X", text}, {{"a", 1}, {"b", 2}, {"c", 3}}); };
  EXPECT_EQ(choose("b"), 2);
  EXPECT_EQ(message_of([&] { choose("B"); }), "KANN_X expects a, b or c, got 'B'");
  EXPECT_EQ(message_of([] { one_of<int>({"--y", ""}, {{"a", 1}}); }), "--y expects a, got ''");
}

}  // namespace
}  // namespace kann::cli
