// The KANN_* variables: which are read, that options win over them, and the warnings about the others.
#include "cli/options/variables.hpp"

#include "options_fixture.hpp"

namespace kann::cli {
namespace {

std::vector<std::string> names_of_variables() {
  std::vector<std::string> names;
  for (const OptionSpec& option : option_table())
    if (option.has_variable) names.push_back(variable_of(option));
  return names;
}

TEST_F(OptionsTest, FourOptionsHaveAVariable) {
  EXPECT_EQ(names_of_variables(),
            (std::vector<std::string>{"KANN_DEVICE", "KANN_THREADS", "KANN_PROGRESS", "KANN_COLOR"}));
  setenv("KANN_DEVICE", "cpu", 1);
  setenv("KANN_THREADS", "3", 1);
  setenv("KANN_PROGRESS", "always", 1);
  setenv("KANN_COLOR", "never", 1);
  const Options o = parse({"--data", "a.ply"});
  EXPECT_EQ(o.search.device.kind, DeviceKind::cpu);
  EXPECT_EQ(o.search.threads, 3);
  EXPECT_EQ(o.progress, When::always);
  EXPECT_EQ(o.color, When::never);
  EXPECT_EQ(warnings_of_variables(), std::vector<std::string>{});
}

TEST_F(OptionsTest, AnOptionWinsOverItsVariable) {
  setenv("KANN_DEVICE", "cuda:2", 1);
  setenv("KANN_THREADS", "3", 1);
  setenv("KANN_PROGRESS", "always", 1);
  setenv("KANN_COLOR", "never", 1);
  const Options o =
      parse({"--data", "a.ply", "--device", "auto", "--threads", "0", "--progress", "never", "--color", "auto"});
  EXPECT_EQ(o.search.device.kind, DeviceKind::automatic);
  EXPECT_EQ(o.search.threads, 0);
  EXPECT_EQ(o.progress, When::never);
  EXPECT_EQ(o.color, When::automatic);
}

TEST_F(OptionsTest, AVariableIsCheckedUnlessItsOptionIsGiven) {
  setenv("KANN_DEVICE", "rubbish", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "KANN_DEVICE expects auto, cpu, cuda or cuda:N, got 'rubbish'");
  EXPECT_EQ(parse({"--data", "a.ply", "--device", "cpu"}).search.device.kind, DeviceKind::cpu);
  setenv("KANN_DEVICE", "cuda:300", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "KANN_DEVICE cuda:N expects a whole number from 0 to 255, got '300'");
  setenv("KANN_DEVICE", "cpu", 1);
  setenv("KANN_COLOR", "1", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "KANN_COLOR expects auto, always or never, got '1'");
}

TEST_F(OptionsTest, AnEmptyVariableCountsAsUnset) {
  for (const char* name : {"KANN_DEVICE", "KANN_THREADS", "KANN_PROGRESS", "KANN_COLOR", "KANN_K", "KANN_DEVCE"})
    setenv(name, "", 1);
  EXPECT_EQ(parse({"--data", "a.ply"}).search.device.kind, DeviceKind::automatic);
  EXPECT_EQ(warnings_of_variables(), std::vector<std::string>{});
}

TEST_F(OptionsTest, TheDeviceOfTheVariableIsCheckedWithTheOptions) {
  setenv("KANN_DEVICE", "cpu", 1);
  EXPECT_EQ(message({"--data", "a.ply", "--method", "paper"}),
            "--method paper runs on CUDA devices only, got --device cpu");
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "paper", "--device", "cuda"}).search.method, Method::paper);
}

// A variable that is set elsewhere must not change a check that the command line asks for.
TEST_F(OptionsTest, NoOtherOptionIsSetByAVariable) {
  for (const OptionSpec& option : option_table())
    if (!option.has_variable && option.group != k_check) setenv(variable_of(option).c_str(), "1", 1);
  EXPECT_EQ(message({}), "--data FILE is required, as in: kann --data pts.ply --query q.ply --k 8; see kann --help");
  const Options o = parse({"--data", "a.ply"});
  EXPECT_EQ(o.action, Action::search);
  EXPECT_EQ(o.search.k, 8);
  EXPECT_EQ(o.search.method, Method::exact);
  EXPECT_EQ(o.output, "a.knn.npz");
  EXPECT_FALSE(o.query || o.search.shifts || o.search.window || o.min_recall || o.report);
  EXPECT_FALSE(o.force || o.json || o.verify || o.quiet || o.verbose || o.search.include_self);
}

TEST_F(OptionsTest, TheWarningOfAnOptionWithoutVariableNamesTheFlag) {
  for (const OptionSpec& option : option_table()) {
    if (option.has_variable || option.group == k_about || option.group == k_check) continue;
    setenv(variable_of(option).c_str(), "1", 1);
    EXPECT_EQ(warnings_of_variables(),
              std::vector<std::string>{"variable '" + variable_of(option) + "' is not read; use " + flag_of(option)});
    unsetenv(variable_of(option).c_str());
  }
}

TEST_F(OptionsTest, TheWarningOfAnUnknownVariableNamesTheNearest) {
  for (const auto& [name, hint] : {std::pair{"KANN_DEVCE", "did you mean 'KANN_DEVICE'?"},
                                   {"KANN_COLOUR", "did you mean 'KANN_COLOR'?"},
                                   {"KANN_TREADS", "did you mean 'KANN_THREADS'?"},
                                   {"KANN_QUREY", "see kann --help"},  // near an option that has no variable
                                   {"KANN_VERSION", "see kann --help"},
                                   {"KANN_CUDA_POOL", "see kann --help"},
                                   {"KANN_", "see kann --help"}}) {
    setenv(name, "1", 1);
    EXPECT_EQ(warnings_of_variables(),
              std::vector<std::string>{"unknown variable '" + std::string(name) + "'; " + hint});
    unsetenv(name);
  }
}

// Whoever sets it believes in a check that is not made.
TEST_F(OptionsTest, AVariableOfACheckIsRefused) {
  for (const auto& [name, flag] : {std::pair{"KANN_MIN_RECALL", "--min-recall"},
                                   {"KANN_VERIFY", "--verify"},
                                   {"KANN_VERFY", "--verify"},
                                   {"KANN_MIN_RECAL", "--min-recall"},
                                   {"KANN_MINRECALL", "--min-recall"}})
    for (const char* value : {"0.9", ""}) {
      setenv(name, value, 1);
      const std::string error =
          "variable '" + std::string(name) + "' is not read, so nothing would be checked; use " + flag;
      EXPECT_EQ(message({"--data", "a.ply"}), error);
      EXPECT_EQ(message({"--data", "a.ply", "--verify", "--min-recall", "0.5"}), error);
      EXPECT_EQ(warnings_of_variables(), std::vector<std::string>{});
      EXPECT_EQ(parse({"--help"}).action, Action::show_help);
      unsetenv(name);
    }
}

TEST_F(OptionsTest, NoWarningForAVariableOfTheScripts) {
  setenv("KANN_PRESET", "cpu", 1);
  EXPECT_EQ(warnings_of_variables(), std::vector<std::string>{});
}

}  // namespace
}  // namespace kann::cli
