// The texts of -h, --help and --version.
#include "cli/manual/help.hpp"

#include <algorithm>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "kann/io.hpp"
#include "kann/search.hpp"

#include "cli/options/option_table.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(Help, FitsEightyColumns) {
  for (const std::string& line : lines_of(help_text(Audience::few))) {
    EXPECT_LE(line.size(), 80u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST(ShortHelp, FitsOneScreen) {
  EXPECT_LE(lines_of(short_help_text()).size(), 24u);
  for (const std::string& line : lines_of(short_help_text())) EXPECT_LE(line.size(), 80u) << line;
}

TEST(ShortHelp, HasOptionsOfTheHelpAndItsExamples) {
  const std::string text = short_help_text();
  EXPECT_NE(text.find("\nExamples:\n" + std::string(k_examples)), std::string::npos);
  int options = 0;
  for (const std::string& line : lines_of(text)) {
    std::smatch option;
    if (!std::regex_search(line, option, std::regex("^  -(?:(\\w)|-([\\w-]+)) "))) continue;
    ++options;
    EXPECT_TRUE(std::ranges::any_of(option_table(), [&](const OptionSpec& o) {
      return option[1].matched ? option[1] == std::string(1, o.letter) : option[2] == std::string(o.name);
    })) << line;
  }
  EXPECT_GE(options, 7);
}

TEST(Help, ListsEveryPointFormat) {
  std::string words;  // without the line breaks
  std::istringstream in(help_text(Audience::few));
  for (std::string word; in >> word;) words += word + " ";
  EXPECT_NE(words.find(k_point_formats), std::string::npos);
}

TEST(Help, OpensWithThreeExamples) {
  const std::string text = help_text(Audience::few);
  const std::string opening = text.substr(0, text.find("Usage:"));
  EXPECT_EQ(opening.find("Examples:\n"), 0u);
  int examples = 0;
  for (const std::string& line : lines_of(opening)) examples += line.starts_with("  kann ");
  EXPECT_EQ(examples, 3);
}

TEST(Help, ShowsHowBatchesAreCalled) {
  EXPECT_NE(help_text(Audience::few)
                .find("\nUsage: kann DATA [QUERY...] [options]\n"
                      "       kann --data FILE [--query FILE...] [options]\n"
                      "       kann --jobs FILE [--data FILE] [options]\n"),
            std::string::npos);
}

// The list is written out, not taken from the option table, so that an option lost from the table is noticed.
TEST(Help, HasEveryOptionOfTheContract) {
  const std::string text = help_text(Audience::few);
  for (const std::string option : {"--data FILE",
                                   "--query FILE",
                                   "--data-format FORMAT",
                                   "--query-format FORMAT",
                                   "--columns X,Y[,Z]",
                                   "--query-columns X,Y[,Z]",
                                   "-k, --k N",
                                   "-o, --output FILE",
                                   "--output-format FORMAT",
                                   "--force",
                                   "--device auto|cpu|cuda|cuda:N",
                                   "--shifts S",
                                   "--window W",
                                   "--method exact|shifted-sort|paper",
                                   "--include-self",
                                   "--invalid error|skip",
                                   "--verify [N]",
                                   "--min-recall X",
                                   "--json",
                                   "--report FILE",
                                   "-q, --quiet",
                                   "-v, --verbose",
                                   "--progress auto|always|never",
                                   "--color auto|always|never",
                                   "--threads N",
                                   "--config FILE",
                                   "-V, --version",
                                   "-h, --help [all]",
                                   "--generate man|complete-bash|complete-zsh|complete-fish|markdown"})
    EXPECT_NE(text.find(" " + option), std::string::npos) << option;
}

TEST(Help, HasEveryOptionOfTheTable) {
  const std::string text = help_text(Audience::few);
  for (const OptionSpec& option : option_table()) {
    EXPECT_NE(text.find(flag_of(option)), std::string::npos);
    EXPECT_NE(text.find(std::string(option.group) + ":\n"), std::string::npos);
    EXPECT_FALSE(option.help.empty());
  }
}

/// What few need is not among what most need, which ends with the way to all.
TEST(Help, HasWhatMostPeopleNeed) {
  const std::string text = help_text(Audience::most);
  int count = 0;
  for (const OptionSpec& option : option_table()) {
    const std::string line = (option.letter ? std::string(", ") : std::string(6, ' ')) + flag_of(option);
    const bool is_there = text.find(line + " ") != text.npos || text.find(line + "\n") != text.npos;
    EXPECT_EQ(is_there, option.audience == Audience::most) << option.name;
    count += option.audience == Audience::most;
  }
  EXPECT_TRUE(count >= 35 && count <= 45) << count;
  EXPECT_TRUE(text.ends_with("\nkann --help all lists every option.\n"));
}

TEST(Help, DefinesTheFiguresOfVerify) {
  const std::string text = std::regex_replace(help_text(Audience::few), std::regex("\\s+"), " ");
  for (const char* word : {"recall, the", "mean distance ratio,", "all-correct, the", "identical, the"})
    EXPECT_NE(text.find(word), std::string::npos) << word;
}

TEST(Help, SaysWhichMethodIsTheDefault) {
  const std::string text = std::regex_replace(help_text(Audience::few), std::regex("\\s+"), " ");
  for (const char* rule : {"The answer is exact, unless --method asks for an approximate one",
                           "--exact is short for --method exact [exact]"})
    EXPECT_NE(text.find(rule), std::string::npos) << rule;
}

TEST(Help, ListsTheVariables) {
  const std::string text = help_text(Audience::few);
  EXPECT_NE(text.find("\nEnvironment variables: KANN_DEVICE, KANN_THREADS, KANN_PROGRESS, KANN_COLOR."),
            std::string::npos);
}

TEST(Version, NamesVersionCommitAndCuda) {
  const std::vector<std::string> lines = lines_of(version_text());
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].find("kann " + std::string(version()) + " (commit "), 0u);
  EXPECT_EQ(lines[1].find("CUDA: "), 0u);
}

}  // namespace
}  // namespace kann::cli
