// JSON of facts, compared with nlohmann-json; facts as people read them; and what a page is made of, of which
// ../report/page_test.cpp tests how the program writes it.
#include "cli/facts/facts.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/html/html.hpp"
#include "clouds.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

using test::Random;
using Json = nlohmann::ordered_json;

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

/// The value alone, without the object around it.
std::string written(const Value& value) {
  const std::string text = json({{"x", value}}, false);
  return text.substr(5, text.size() - 7);
}

TEST(Facts, WritesTextOfAnyBytes) {
  Random random(1);
  // Bytes that begin, continue and break UTF-8 sequences, and all that are escaped.
  const std::string pieces[] = {"a",    "\"",   "\\",   "\b",   "\f",   "\n",   "\r",   "\t",   "\x01", "\x1f",
                                "\x7f", "\xc2", "\x80", "\x9b", "\xbf", "\xc1", "\xe0", "\xa0", "\xed", "\x9f",
                                "\xf0", "\x90", "\x8f", "\xf4", "\xf5", "\xff", "é",    "€",    "😀",    "/"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random.below(8); n > 0; --n) text += pieces[random.below(std::size(pieces))];
    EXPECT_EQ(written(text), dump(text, -1));
  }
}

TEST(Facts, WritesNumbersThatReadBackTheSame) {
  Random random(2);
  std::vector<double> numbers = {0.0,    -0.0,    1,
                                 -1,     0.1,     0.001,
                                 0.0001, 0.00001, 123456789012345.0,
                                 1e15,   1e16,    1.5e15,
                                 1e100,  5e-324,  1.7976931348623157e308};
  for (int i = 0; i < 20'000; ++i)
    numbers.push_back(std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(2000)) - 1000));
  for (int i = 0; i < 20'000; ++i) numbers.push_back(std::round(random.uniform() * 1e6) / 1e3);  // as times
  for (const double number : numbers) {
    const std::string text = written(number);
    EXPECT_EQ(Json::parse(text).get<double>(), number) << text;
    EXPECT_TRUE(Json::parse(text).is_number_float()) << text;
  }
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(Facts, IndentAsNlohmann) {
  const Json wanted = {{"a", 1},
                       {"b", Json::object()},
                       {"c", {{"d", Json::array()}, {"e", {1.5, 2.5}}, {"f", {"x"}}, {"g", nullptr}, {"h", true}}},
                       {"i", {{{"j", 18446744073709551615u}}, {{"j", -1}}}}};
  const Facts facts = {{"a", 1},
                       {"b", Facts()},
                       {"c", Facts{{"d", std::vector<double>()},
                                   {"e", std::vector{1.5, 2.5}},
                                   {"f", std::vector<std::string>{"x"}},
                                   {"g"},
                                   {"h", true}}},
                       {"", "for people alone", "label"},
                       {"i", std::vector<Facts>{{{"j", std::uint64_t{18446744073709551615u}}}, {{"j", -1}}}}};
  for (const bool indented : {false, true}) EXPECT_EQ(json(facts, indented), dump(wanted, indented ? 2 : -1) + "\n");
}

TEST(Facts, ShowPeopleWhatHasALabel) {
  const Facts facts = {{"k", 8},
                       {"path", "a.ply", "data", "a.ply: 3 points"},
                       {"within", Facts{{"share", 0.123456789, "share"}, {"none", {}, "none"}}}};
  using Pair = std::pair<std::string_view, std::string>;
  EXPECT_EQ(labelled(facts), (std::vector<Pair>{{"data", "a.ply: 3 points"}, {"share", "0.123457"}, {"none", "-"}}));
  const std::vector<Facts> rows = {{{"name", "x", "name"}, {"n", 5, "count"}},
                                   {{"name", "long", "name"}, {"n", 12345, "count"}}};
  EXPECT_EQ(lines(cells(rows), 1), (std::vector<std::string>{"name  count", "x         5", "long  12345"}));
}

TEST(Html, TextHasNoMeaning) {
  EXPECT_EQ(html_text("a<b>&\"c\"'"), "a&lt;b&gt;&amp;&quot;c&quot;'");
  EXPECT_EQ(html_text("one\ntwo\n"), "one\ntwo\n");
  EXPECT_EQ(html_text("\x1b[31mred\xff"), "\\x1b[31mred\\xff");
  EXPECT_EQ(html_text("größer"), "größer");
  EXPECT_EQ(html_text(""), "");
}

/// The examples of RFC 4648, section 10, and bytes of all values.
TEST(Html, Base64) {
  const std::string text = "foobar", want[] = {"", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
  for (std::size_t n = 0; n <= text.size(); ++n) EXPECT_EQ(base64(text.substr(0, n)), want[n]);
  EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
  EXPECT_EQ(base64(std::string("\0\0\0\0", 4)), "AAAAAA==");
}

}  // namespace
}  // namespace kann::cli
