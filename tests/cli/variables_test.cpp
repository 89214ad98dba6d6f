// KANN_* variables beside the options they stand in for.
#include "options_fixture.hpp"

namespace kann::cli {
namespace {

TEST_F(OptionsTest, VariablesStandInForOptionsAndYieldToThem) {
  setenv("KANN_DATA", "env.ply", 1);
  setenv("KANN_K", "3", 1);
  setenv("KANN_DEVICE", "cpu", 1);
  setenv("KANN_FORCE", "1", 1);
  setenv("KANN_JSON", "0", 1);
  setenv("KANN_VERIFY", "all", 1);
  setenv("KANN_SHIFTS", "", 1);
  Options o = parse({});
  EXPECT_EQ(o.data, "env.ply");
  EXPECT_EQ(o.search.k, 3);
  EXPECT_EQ(o.search.device.kind, DeviceKind::cpu);
  EXPECT_TRUE(o.force && o.verify);
  EXPECT_FALSE(o.json || o.search.shifts);

  setenv("KANN_DEVICE", "rubbish", 1);  // not looked at where the option is given
  o = parse({"--data", "flag.ply", "-k4", "--device", "auto"});
  EXPECT_EQ(o.data, "flag.ply");
  EXPECT_EQ(o.search.k, 4);
  EXPECT_EQ(message({}), "KANN_DEVICE expects auto, cpu, cuda or cuda:N, got 'rubbish'");
}

TEST_F(OptionsTest, AVariableYieldsToAnOptionThatExcludesIt) {
  setenv("KANN_QUIET", "1", 1);
  setenv("KANN_JSON", "1", 1);
  setenv("KANN_DEVICE", "cpu", 1);
  Options o = parse({"--data", "a.ply", "-v", "-o", "-", "--output-format", "csv", "--pipeline", "paper"});
  EXPECT_TRUE(o.verbose);
  EXPECT_FALSE(o.quiet || o.json);
  EXPECT_EQ(o.search.pipeline, Pipeline::paper);
  EXPECT_EQ(o.search.device.kind, DeviceKind::automatic);
  o = parse({"--data", "a.ply"});
  EXPECT_TRUE(o.quiet && o.json);
  EXPECT_EQ(message({"--data", "a.ply", "-q", "-v"}), "--quiet and --verbose exclude each other");

  setenv("KANN_VERBOSE", "1", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "--quiet and --verbose exclude each other");
  setenv("KANN_OUTPUT", "/dev/stdout", 1);
  setenv("KANN_PIPELINE", "paper", 1);
  o = parse({"--data", "a.ply", "-q", "--json", "--device", "cpu"});
  EXPECT_TRUE(o.quiet && o.json);
  EXPECT_FALSE(o.verbose);
  EXPECT_EQ(o.output, "a.knn.npz");
  EXPECT_EQ(o.search.pipeline, Pipeline::fused);
}

TEST_F(OptionsTest, TheMethodOfTheCommandLineWins) {
  setenv("KANN_EXACT", "1", 1);
  EXPECT_EQ(parse({"--data", "a.ply"}).search.method, Method::exact);
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "shifted-sort"}).search.method, Method::shifted_sort);
  Options o = parse({"--data", "a.ply", "--shifts", "5"});
  EXPECT_EQ(o.search.method, Method::shifted_sort);
  EXPECT_EQ(o.search.shifts, 5);

  EXPECT_EQ(parse({"--data", "a.ply", "--pipeline", "paper"}).search.method, Method::shifted_sort);

  unsetenv("KANN_EXACT");
  setenv("KANN_METHOD", "shifted-sort", 1);
  setenv("KANN_SHIFTS", "7", 1);
  setenv("KANN_PIPELINE", "paper", 1);
  o = parse({"--data", "a.ply", "--exact"});
  EXPECT_EQ(o.search.method, Method::exact);
  EXPECT_EQ(o.search.pipeline, Pipeline::fused);
  EXPECT_FALSE(o.search.shifts);
}

TEST_F(OptionsTest, AnOptionThatGoesWithTheExactMethodLeavesItsVariable) {
  for (const auto& [variable, value] : {std::pair{"KANN_EXACT", "1"}, {"KANN_METHOD", "exact"}}) {
    setenv(variable, value, 1);
    for (const std::vector<const char*>& more : std::vector<std::vector<const char*>>{
             {"--pipeline", "fused"}, {"--device", "cpu"}, {"--threads", "2"}, {"-k4"}, {"--include-self"}})
      EXPECT_EQ(parse(with_data(more)).search.method, Method::exact) << variable << ' ' << more[0];
    for (const std::vector<const char*>& more : std::vector<std::vector<const char*>>{
             {"--pipeline", "paper"}, {"--shifts", "3"}, {"--window", "9"}, {"--bits", "30"}})
      EXPECT_EQ(parse(with_data(more)).search.method, Method::shifted_sort) << variable << ' ' << more[0];
    unsetenv(variable);
  }
}

TEST_F(OptionsTest, TheTwoVariablesOfTheMethodMayNotDiffer) {
  setenv("KANN_EXACT", "1", 1);
  setenv("KANN_METHOD", "exact", 1);
  EXPECT_EQ(parse({"--data", "a.ply"}).search.method, Method::exact);
  setenv("KANN_METHOD", "shifted-sort", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "KANN_EXACT and KANN_METHOD=shifted-sort exclude each other");
  EXPECT_EQ(parse({"--data", "a.ply", "--exact"}).search.method, Method::exact);
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "shifted-sort"}).search.method, Method::shifted_sort);
  EXPECT_EQ(parse({"--data", "a.ply", "--shifts", "5"}).search.method, Method::shifted_sort);
  setenv("KANN_EXACT", "0", 1);
  EXPECT_EQ(parse({"--data", "a.ply"}).search.method, Method::shifted_sort);
  setenv("KANN_METHOD", "rubbish", 1);  // not looked at where the option is given, in either spelling
  EXPECT_EQ(parse({"--data", "a.ply", "--exact"}).search.method, Method::exact);
  setenv("KANN_EXACT", "rubbish", 1);
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "exact"}).search.method, Method::exact);
}

TEST_F(OptionsTest, AVariableThatNeedsAnotherOptionWaitsForIt) {
  setenv("KANN_MIN_RECALL", "0.9", 1);
  setenv("KANN_QUERY_FORMAT", "npy", 1);
  Options o = parse({"--data", "a.ply"});
  EXPECT_FALSE(o.min_recall || o.query_format);
  o = parse({"--data", "a.ply", "--query", "q", "--verify"});
  EXPECT_EQ(o.min_recall, 0.9);
  EXPECT_EQ(o.query_format, PointFormat::npy);
  EXPECT_EQ(message({"--data", "a.ply", "--min-recall", "0.9"}), "--min-recall needs --verify");
}

TEST_F(OptionsTest, TheVariableOfVerifyTakesTrueForAll) {
  for (const auto& [text, sample] : {std::pair{"true", 0}, {"all", 0}, {"1", 1}}) {
    setenv("KANN_VERIFY", text, 1);
    const Options o = parse({"--data", "a.ply"});
    EXPECT_TRUE(o.verify) << text;
    EXPECT_EQ(o.verify_sample, sample) << text;
  }
}

TEST_F(OptionsTest, AVariableTurnsVerifyOffAsItDoesAFlag) {
  for (const char* off : {"0", "false", ""}) {
    setenv("KANN_VERIFY", off, 1);
    setenv("KANN_FORCE", off, 1);
    const Options o = parse({"--data", "a.ply"});
    EXPECT_FALSE(o.verify || o.force) << off;
    EXPECT_TRUE(parse({"--data", "a.ply", "--verify"}).verify) << off;
  }
  setenv("KANN_VERIFY", "no", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "KANN_VERIFY expects a whole number of at least 1, got 'no'");
}

}  // namespace
}  // namespace kann::cli
