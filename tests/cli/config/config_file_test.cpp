// TOML files with options: their settings, and the message of each fault.
#include "cli/config/config_file.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kann/error.hpp"

namespace kann::cli {
namespace {

constexpr ConfigKey k_keys[] = {{"output", ConfigKind::text, {}}, {"k", ConfigKind::number, {}},
                                {"force", ConfigKind::flag, {}},  {"verify", ConfigKind::optional_number, "all"},
                                {"help", ConfigKind::absent, {}}, {"columns", ConfigKind::list, {}},
                                {"query", ConfigKind::texts, {}}};

class ConfigFileTest : public testing::Test {
 protected:
  ConfigFileTest() { std::filesystem::create_directory(folder_); }
  ~ConfigFileTest() override { std::filesystem::remove_all(folder_); }

  ConfigFile read(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary) << bytes;
    return read_config_file(path_, k_keys);
  }

  /// "key=text" of each setting.
  std::vector<std::string> settings(const std::string& bytes) const {
    std::vector<std::string> settings;
    const ConfigFile file = read(bytes);
    EXPECT_EQ(file.problem, "") << bytes;
    for (const ConfigSetting& setting : file.settings)
      settings.push_back(std::string(k_keys[setting.key].name) + "=" + setting.text);
    return settings;
  }

  /// The first message, without the path.
  std::string message(const std::string& bytes) const {
    std::string text;
    try {
      text = read(bytes).problem;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      text = error.what();
    }
    EXPECT_EQ(text.find(path_), 0u) << text;
    return text.substr(std::min(text.size(), path_.size()));
  }

  const std::string folder_ = testing::TempDir() + "kann_config_" + std::to_string(getpid());
  const std::string path_ = folder_ + "/kann.toml";
};

using Texts = std::vector<std::string>;

TEST_F(ConfigFileTest, ValuesAreTheTextsOfTheCommandLine) {
  EXPECT_EQ(settings("k = 8\n"), Texts{"k=8"});
  EXPECT_EQ(settings("k = 1_000"), Texts{"k=1000"});
  EXPECT_EQ(settings("k = 0x10"), Texts{"k=16"});
  EXPECT_EQ(settings("k = 0.97"), Texts{"k=0.97"});
  EXPECT_EQ(settings("k = 8.0"), Texts{"k=8.0"});  // which is no whole number, as on the command line
  EXPECT_EQ(settings("k = 1e300"), Texts{"k=1e+300"});
  EXPECT_EQ(settings("k = nan"), Texts{"k=nan"});
  EXPECT_EQ(settings("output = \"a b\\t\\\"\\u00e4.npz\""), Texts{"output=a b\t\"\u00e4.npz"});
  EXPECT_EQ(settings("output = 'C:\\x'"), Texts{"output=C:\\x"});
  EXPECT_EQ(settings("output = \"\"\"a\\\n  \u00a7\u00dd\"\"\" # \u00dd"), Texts{"output=a\u00a7\u00dd"});
  EXPECT_EQ(settings("force = true"), Texts{"force=true"});
  EXPECT_EQ(settings("force = false"), Texts{});
  EXPECT_EQ(settings("verify = true"), Texts{"verify=all"});
  EXPECT_EQ(settings("verify = 7"), Texts{"verify=7"});
  EXPECT_EQ(settings("verify = \"all\""), Texts{"verify=all"});
  EXPECT_EQ(settings("verify = false"), Texts{});
  EXPECT_EQ(settings("\xef\xbb\xbf# a comment\r\n\r\nk = 8\r\n"), Texts{"k=8"});
  EXPECT_EQ(settings(""), Texts{});
}

TEST_F(ConfigFileTest, SettingsAreInTheOrderOfTheLinesAndKnowThem) {
  EXPECT_EQ(settings("output = 'x'\nforce = true\nk = 3"), (Texts{"output=x", "force=true", "k=3"}));
  EXPECT_EQ(read("\n\nk = 3\n").settings.at(0).where, path_ + ":3: k");
}

TEST_F(ConfigFileTest, EachFaultHasItsMessage) {
  const std::pair<std::string, std::string> faults[] = {
      {"k = 8\n\nouput = 'x'", ":3: unknown key 'ouput'; did you mean 'output'?"},
      {"nonsense = 1", ":1: unknown key 'nonsense'; keys are the long names of options, see kann --help"},
      {"hepl = true", ":1: unknown key 'hepl'; keys are the long names of options, see kann --help"},
      {"[search]\nk = 8", ":1: unknown key 'search'; keys are the long names of options, see kann --help"},
      {"help = true", ":1: help is for the command line alone, not for a configuration"},
      {"k = '8'", ":1: k expects a number, got the string '8'"},
      {"k = true", ":1: k expects a number, got true"},
      {"k = [8]", ":1: k expects a number, got an array"},
      {"k.x = 8", ":1: k expects a number, got a table"},
      {"k = 2020-01-01", ":1: k expects a number, got a date or a time"},
      {"force = 1", ":1: force expects true or false, got 1"},
      {"force = 'true'", ":1: force expects true or false, got the string 'true'"},
      {"output = 1.5", ":1: output expects a string, got 1.5"},
      {"output = ['a', 'b']", ":1: output expects a string, got an array"},
      {"verify = []", ":1: verify expects true, false, a number or a string, got an array"},
  };
  for (const auto& [bytes, expected] : faults) EXPECT_EQ(message(bytes), expected) << bytes;
}

// The end of these messages is that of toml++.
TEST_F(ConfigFileTest, WhatIsNoTomlIsRefusedWithItsLine) {
  for (const std::string line :
       {"k = ", "k 8", "k = 8 8", "= 8", "output = \"x", "k = 08", "output = '\xff'", "output = 'a\x01'", "\u00dd = 1",
        "[&", "[[[a]]]", "k = 8 \u00dd", "k = 99999999999999999999", "k = 8\nk = 9"}) {
    const std::string text = message("force = true\n" + line);
    EXPECT_TRUE(text.starts_with(":2: ") || text.starts_with(":3: ")) << line << text;
  }
  EXPECT_NE(message(std::string("k = 8\n\0", 7)), "");
  EXPECT_NE(message(std::string(100'000, '[')), "");
}

TEST_F(ConfigFileTest, RightLinesAreThereBesideAFault) {
  const ConfigFile file = read("force = true\nouput = 'x'\nk = 3\nnonsense = 1\n");
  EXPECT_EQ(file.problem, path_ + ":2: unknown key 'ouput'; did you mean 'output'?");
  ASSERT_EQ(file.settings.size(), 2u);
  EXPECT_EQ(file.settings[1].text, "3");
}

TEST_F(ConfigFileTest, AFileThatCannotBeReadIsAFaultOfUsage) {
  const auto failure = [](const std::string& path) {
    try {
      read_config_file(path, k_keys);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(failure("nope.toml"), "nope.toml: No such file or directory");
  EXPECT_EQ(failure(folder_), folder_ + ": Is a directory");
  EXPECT_EQ(failure("/dev/zero"), "/dev/zero: is larger than 1 MiB, which is no configuration");
  EXPECT_EQ(message(std::string((1 << 20) + 1, '\n')), ": is larger than 1 MiB, which is no configuration");
  EXPECT_EQ(settings(std::string((1 << 20) - 5, '\n') + "k = 8"), Texts{"k=8"});
}

TEST_F(ConfigFileTest, AListMayBeAnArray) {
  EXPECT_EQ(settings("columns = 'x,y, z'"), Texts{"columns=x,y, z"});
  EXPECT_EQ(settings("columns = ['x', 'y']"), Texts{"columns=x,y"});
  EXPECT_EQ(settings("columns = [1, 2.5, 'z', 41.2]"), Texts{"columns=1,2.5,z,41.2"});
  EXPECT_EQ(settings("columns = '1,2.5'"), Texts{"columns=1,2.5"});
  const std::string want = ":1: columns expects a string, or an array of numbers or of strings without commas, got ";
  EXPECT_EQ(message("columns = 1"), want + "1");
  EXPECT_EQ(message("columns = []"), want + "an empty array");
  EXPECT_EQ(message("columns = [[1]]"), want + "an array with an array");
  EXPECT_EQ(message("columns = [1, true]"), want + "an array with true");
  EXPECT_EQ(message("columns = ['a', 'x,y']"), want + "an array with the string 'x,y'");
  EXPECT_EQ(message("columns = ['', 'x']"), want + "an array with the string ''");
}

TEST_F(ConfigFileTest, SomeKeysTakeSeveralTexts) {
  EXPECT_EQ(settings("query = 'a'"), Texts{"query=a"});
  EXPECT_EQ(settings("query = ['a', 'b c']"), (Texts{"query=a", "query=b c"}));
  EXPECT_EQ(message("query = []"), ":1: query expects a string or an array of strings, got an empty array");
  EXPECT_EQ(settings("query = ['a', \"it's\", '\"b\"']"), (Texts{"query=a", "query=it's", "query=\"b\""}));
  EXPECT_EQ(message("query = ['a', 8]"), ":1: query expects a string or an array of strings, got an array with 8");
  EXPECT_EQ(message("query = 8"), ":1: query expects a string or an array of strings, got 8");
}

}  // namespace
}  // namespace kann::cli
