// Parses a command line in a test. No KANN_* variable is set except by the test.
#pragma once

#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#include "kann/error.hpp"

#include "../run_kann.hpp"
#include "cli/options/option_table.hpp"
#include "cli/options/options.hpp"

namespace kann::cli {

using test::begins;
using test::Names;

class OptionsTest : public testing::Test {
 protected:
  OptionsTest() { unset_all(); }
  ~OptionsTest() override { unset_all(); }

  static void parse(const test::Command& command, Options& options) {
    std::vector<const char*> arguments;
    for (const std::string& word : command.words) arguments.push_back(word.c_str());
    parse_options(static_cast<int>(arguments.size()), arguments.data(), options);
  }

  static Options parse(const test::Command& command) {
    Options options;
    parse(command, options);
    return options;
  }

  static std::string message(const test::Command& command) {
    try {
      parse(command);
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
