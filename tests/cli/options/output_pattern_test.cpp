// Placeholders of --output: what is filled in, what is refused, and braces that are none.
#include "cli/options/output_pattern.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "kann/error.hpp"

namespace kann::cli {
namespace {

const PatternValues k_values{"a", "a.ply", "map", "7"};

std::string refusal(const std::string& pattern) {
  try {
    check_pattern(pattern);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THROW(filled_in(pattern, k_values), Error);
    return error.what();
  }
  return "";
}

TEST(OutputPattern, FillsInWhatIsOfTheJob) {
  const std::pair<std::string, std::string> patterns[] = {{"", ""},
                                                          {"out/x.npz", "out/x.npz"},
                                                          {"{stem}.npz", "a.npz"},
                                                          {"{index}/{name}/{stem}{stem}", "7/a.ply/aa"},
                                                          {"{data}-{stem}.npz", "map-a.npz"},
                                                          {"{{stem}}.npz", "{stem}.npz"},
                                                          {"{{{stem}}}.npz", "{a}.npz"},
                                                          {"{{{{", "{{"},
                                                          {"a{b", "a{b"},
                                                          {"a}b", "a}b"},
                                                          {"{", "{"},
                                                          {"{a{stem}", "{aa"}};
  for (const auto& [pattern, path] : patterns) {
    EXPECT_EQ(refusal(pattern), "") << pattern;
    EXPECT_EQ(filled_in(pattern, k_values), path) << pattern;
  }
  // What is filled in is no pattern
  EXPECT_EQ(filled_in("{stem}", {.stem = "{name}", .name = "{name}.ply", .data = "", .index = "1"}), "{name}");
}

TEST(OutputPattern, KnowsWhatDiffersPerJob) {
  for (const char* const each : {"{stem}", "x/{index}.npz", "{{{name}}}"}) EXPECT_TRUE(has_placeholder(each)) << each;
  for (const char* const one : {"", "x.npz", "{{stem}}", "{stem", "stem}", "{stem}}x{"})
    EXPECT_EQ(has_placeholder(one), one == std::string("{stem}}x{")) << one;
}

TEST(OutputPattern, RefusesUnknownWordsInBraces) {
  EXPECT_EQ(refusal("out/{stm}.npz"), "out/{stm}.npz: unknown placeholder '{stm}'; did you mean '{stem}'?");
  EXPECT_EQ(refusal("{Name}"), "{Name}: unknown placeholder '{Name}'; did you mean '{name}'?");
  EXPECT_EQ(
      refusal("{job}"),
      "{job}: unknown placeholder '{job}'; there are {stem}, {name}, {data} and {index}, and {{ stands for a brace");
  for (const char* const wrong : {"{}", "{stem}{}", "{ stem }", "{index:04}", "{{{x}}}"})
    EXPECT_NE(refusal(wrong), "") << wrong;
}

}  // namespace
}  // namespace kann::cli
