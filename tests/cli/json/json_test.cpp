// JSON as it is written and read, compared with nlohmann-json.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/json/json_object.hpp"
#include "cli/json/json_writer.hpp"
#include "clouds.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

using test::Random;
using Json = nlohmann::ordered_json;

std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

template <class T>
std::string written(const T& value) {
  JsonWriter json(JsonWriter::Style::compact);
  json.value(value);
  return json.text();
}

TEST(JsonWriter, WritesTextOfAnyBytes) {
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

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
  Random random(2);
  std::vector<double> numbers = {0.0,    -0.0,    1,
                                 -1,     0.1,     0.001,
                                 0.0001, 0.00001, 123456789012345.0,
                                 1e15,   1e16,    1.5e15,
                                 1e100,  5e-324,  1.7976931348623157e308};
  for (int i = 0; i < 20'000; ++i)
    numbers.push_back(std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(2000)) - 1000));
  for (int i = 0; i < 20'000; ++i) numbers.push_back(std::round(random.uniform() * 1e6) / 1e3);  // as times
  int different = 0;
  for (const double number : numbers) {
    const std::string text = written(number);
    EXPECT_EQ(Json::parse(text).get<double>(), number) << text;
    EXPECT_TRUE(Json::parse(text).is_number_float()) << text;
    different += text != dump(number, -1);
  }
  EXPECT_LT(different, 200);  // nlohmann-json's digits are not always the shortest
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
  EXPECT_EQ(written(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
}

TEST(JsonWriter, IndentsAsNlohmann) {
  const Json wanted = {
      {"a", 1}, {"b", Json::object()}, {"c", {{"d", Json::array()}, {"e", {1.5, "x", nullptr, true}}}}};
  for (const bool indented : {false, true}) {
    JsonWriter json(indented ? JsonWriter::Style::indented : JsonWriter::Style::compact);
    json.begin_object();
    json.member("a", 1);
    json.key("b");
    json.begin_object();
    json.end_object();
    json.key("c");
    json.begin_object();
    json.key("d");
    json.begin_array();
    json.end_array();
    json.key("e");
    json.begin_array();
    json.value(1.5);
    json.value("x");
    json.null();
    json.value(true);
    json.end_array();
    json.end_object();
    json.end_object();
    EXPECT_EQ(json.text(), dump(wanted, indented ? 2 : -1));
  }
}

TEST(JsonObject, ReadsTheMembersAsTheyStand) {
  const auto members = read_json_object(" {\"a\" : 1.5e3 ,\n\"b\\\"\":{\"c\":[1,{}]} , \"a\":\"x\\\\\" } ");
  ASSERT_TRUE(members);
  EXPECT_EQ(*members, (JsonMembers{{"a", "1.5e3"}, {"b\\\"", "{\"c\":[1,{}]}"}, {"a", "\"x\\\\\""}}));
  EXPECT_EQ(read_json_object("{}"), JsonMembers{});
  EXPECT_FALSE(read_json_object("[1]"));
  EXPECT_FALSE(read_json_object(""));
  EXPECT_FALSE(read_json_object("{} {}"));
  EXPECT_FALSE(read_json_object("{\"a\":" + std::string(100'000, '[')));  // no stack of that depth
}

TEST(JsonObject, TakesWhatNlohmannTakes) {
  const std::string valid = R"({"version": 1, "a": [1, -2.5e-3, true, null, "x\né"], "b": {"c": {}, "d": []}})";
  Random random(3);
  int taken = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text = valid;
    for (auto n = random.below(3) + 1; n > 0; --n) {
      const std::size_t at = random.below(text.size());
      constexpr std::string_view replacements = "{}[]\",:0123.e+-x \\ntfu";
      const char c = replacements[random.below(replacements.size())];
      if (random.below(2) == 0)
        text.erase(at, 1);
      else
        text[at] = c;
    }
    const bool is_taken = read_json_object(text).has_value();
    taken += is_taken;
    if (is_taken != Json::accept(text)) {
      // Only the content of strings is not checked: escapes and UTF-8.
      EXPECT_TRUE(is_taken) << text;
      std::string plain = text;
      for (char& c : plain)
        if (c == '\\' || static_cast<unsigned char>(c) >= 0x80) c = 'x';
      EXPECT_TRUE(Json::accept(plain) || text.find('\\') != text.npos) << text;
    }
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace kann::cli
