// Parses a command line in a test. No KANN_* variable is set except by the test.
#pragma once

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "kann/error.hpp"

#include "cli/options/option_table.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

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
    std::vector<std::string> names;
    for (char** variable = environ; variable && *variable; ++variable)
      if (const std::string text = *variable; text.starts_with("KANN_"))
        names.push_back(text.substr(0, text.find('=')));
    for (const std::string& name : names) unsetenv(name.c_str());
  }
};

}  // namespace kann::cli
