// Parsing a command line in a test, with no KANN_* variable but those that the test sets.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "cli/option_table.hpp"
#include "cli/options.hpp"

namespace kann::cli {

/// No KANN_* variable but those that a test sets.
class OptionsTest : public testing::Test {
 protected:
  OptionsTest() { unset_all(); }
  ~OptionsTest() override { unset_all(); }

  static Options parse(const std::vector<const char*>& arguments) {
    Options options;
    parse_options(static_cast<int>(arguments.size()), arguments.data(), options);
    return options;
  }

  static std::vector<const char*> with_data(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), {"--data", "a.ply"});
    return arguments;
  }

  static std::string message(const std::vector<const char*>& arguments) {
    try {
      parse(arguments);
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      return e.what();
    }
    return "no error";
  }

 private:
  static void unset_all() {
    for (const OptionSpec& option : option_table())
      if (const std::string variable = variable_of(option); !variable.empty()) unsetenv(variable.c_str());
  }
};

}  // namespace kann::cli
