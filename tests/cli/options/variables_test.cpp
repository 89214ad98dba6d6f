// The KANN_* variables: which are read, that options win over them, and the error for the others.
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
  for (const char* name : {"KANN_DEVICE", "KANN_THREADS", "KANN_PROGRESS", "KANN_COLOR"}) setenv(name, "", 1);
  EXPECT_EQ(parse({"--data", "a.ply"}).search.device.kind, DeviceKind::automatic);
}

TEST_F(OptionsTest, TheDeviceOfTheVariableIsCheckedWithTheOptions) {
  setenv("KANN_DEVICE", "cpu", 1);
  EXPECT_EQ(message({"--data", "a.ply", "--method", "paper"}),
            "--method paper runs on CUDA devices only, got --device cpu");
  EXPECT_EQ(parse({"--data", "a.ply", "--method", "paper", "--device", "cuda"}).search.method, Method::paper);
}

TEST_F(OptionsTest, NoOtherOptionHasAVariable) {
  for (const OptionSpec& option : option_table()) {
    if (option.has_variable) continue;
    setenv(variable_of(option).c_str(), "1", 1);
    const std::string error = message({"--data", "a.ply"});
    EXPECT_EQ(error.find("unknown variable '" + variable_of(option) + "'; "), 0u) << error;
    unsetenv(variable_of(option).c_str());
  }
}

TEST_F(OptionsTest, AnUnknownVariableIsRefused) {
  const std::string all = "kann reads KANN_DEVICE, KANN_THREADS, KANN_PROGRESS, KANN_COLOR";
  for (const auto& [name, hint] : {std::pair{"KANN_DEVCE", "did you mean 'KANN_DEVICE'? "},
                                   {"KANN_COLOUR", "did you mean 'KANN_COLOR'? "},
                                   {"KANN_TREADS", "did you mean 'KANN_THREADS'? "},
                                   {"KANN_MIN_RECALL", ""},  // whoever sets it believes in a check that is not made
                                   {"KANN_", ""}})
    for (const char* value : {"1", ""}) {
      setenv(name, value, 1);
      const std::string error = "unknown variable '" + std::string(name) + "'; " + hint + all;
      EXPECT_EQ(message({"--data", "a.ply"}), error);
      EXPECT_EQ(message({"info", "a.ply"}), error);
      EXPECT_EQ(message({"--unknown"}), error);  // it may explain what is wrong
      EXPECT_EQ(parse({"--help"}).action, Action::show_help);
      unsetenv(name);
    }
}

TEST_F(OptionsTest, TheVariableOfTheScriptsIsNone) {
  setenv("KANN_PRESET", "cpu", 1);
  EXPECT_EQ(message({"--data", "a.ply"}), "no error");
}

}  // namespace
}  // namespace kann::cli
