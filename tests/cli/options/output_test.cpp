// --output: the default path of the result, its format from the extension, and placeholders: what is filled in, what is
// refused, and braces that are none.
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "cli/options/output_path.hpp"
#include "cli/options/output_pattern.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

std::string chosen(const std::string& data, std::optional<std::string> query, const std::string& format = "") {
  Options options;
  options.data = data;
  options.query = std::move(query);
  if (!format.empty()) {
    options.output_format = neighbor_format(format);
    options.output_extension = format;
  }
  choose_output(options, 1);
  EXPECT_TRUE(options.output_format.has_value());
  return options.output;
}

TEST(ChooseOutput, NamesTheResultAfterTheQueries) {
  EXPECT_EQ(chosen("pts.ply", "q.ply"), "q.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "/some/where/q.xyz"), "q.knn.npz");
  EXPECT_EQ(chosen("dir/pts.ply", std::nullopt), "pts.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "q.v2.ply"), "q.v2.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "-"), "stdin.knn.npz");
  EXPECT_EQ(chosen("-", std::nullopt), "stdin.knn.npz");
  EXPECT_EQ(chosen("pts.ply", "-", "csv"), "stdin.knn.csv");
}

TEST(ChooseOutput, TakesTheFormatFromTheExtension) {
  for (const auto& [name, format] : {std::pair{"a.npz", NeighborFormat::npz},
                                     {"a.NPY", NeighborFormat::npy},
                                     {"a.b/c.csv", NeighborFormat::csv},
                                     {"a.tsv", NeighborFormat::tsv},
                                     {"a.bin", NeighborFormat::bin},
                                     {"a.ivecs", NeighborFormat::ivecs},
                                     {"a.ibin", NeighborFormat::ibin},
                                     {"a.fvecs", NeighborFormat::fvecs},
                                     {"a.fbin", NeighborFormat::fbin}}) {
    Options options;
    options.data = "pts.ply";
    options.output = name;
    choose_output(options, 1);
    EXPECT_EQ(options.output_format, format) << name;
  }
}

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
