// Runs the program as a user does, in a temporary folder, and collects exit code, stdout, stderr and files.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace kann::test {

using nlohmann::json;
using Names = std::vector<std::string>;  ///< of files

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized = true;
#else
constexpr bool k_is_sanitized = false;
#endif

/// The words of a command as a user types it: blanks divide, and '…' or "…" hold together what has blanks or is empty.
std::vector<std::string> words_of(const std::string& command);

/// A command as one text, or word for word.
struct Command {
  Command(const char* text) : words(words_of(text)) {}
  Command(const std::string& text) : words(words_of(text)) {}
  Command(std::vector<std::string> list) : words(std::move(list)) {}
  Command(const std::vector<const char*>& list) : words(list.begin(), list.end()) {}
  Command(std::initializer_list<std::string> list) : words(list) {}

  std::vector<std::string> words;
};

struct Outcome {
  int exit_code = -1;  ///< negative: number of the signal that ended the program
  std::string out, err;
};

/// Whether a text has another in it, or at its beginning or end; a test that expects otherwise shows the text.
testing::AssertionResult has(std::string_view text, std::string_view part);
testing::AssertionResult begins(std::string_view text, std::string_view part);
testing::AssertionResult ends(std::string_view text, std::string_view part);

/// How many neighbours the table of `--k all --stats` has; empty if it is not on stdout.
std::string count_in(const Outcome& o);

struct Settings {
  std::vector<std::pair<std::string, std::string>> variables = {};  ///< all other KANN_* and NO_COLOR are unset
  std::string stdin_text = {};
  std::string stdin_path = {};             ///< if not empty, this file in the folder instead
  std::string stdout_path = "stdout.txt";  ///< "" closes it
  int stdout_fd = -1;                      ///< if not negative, instead of stdout_path
  bool close_stderr = false;
  std::uint64_t address_space = 0;  ///< limit in bytes; 0: none
};

/// Each test has its own folder, which is the working folder of every run.
class ProgramTest : public testing::Test {
 protected:
  /// `always`: words of every command of kann().
  explicit ProgramTest(std::string always = "");
  ~ProgramTest() override;

  /// Runs the program and waits for its end.
  Outcome run(const Command& command, const Settings& settings = {}) const;

  /// Runs the program with these words behind those of all its commands.
  Outcome kann(const std::string& command, const Settings& settings = {}) const;

  /// As kann(), and expects that it ends well.
  Outcome succeeds(const std::string& command, const Settings& settings = {}) const;

  /// As succeeds(). Returns what it has written to stdout, or to the file.
  std::string written(const std::string& command, const std::string& file = "") const;

  /// As kann(), and expects this exit code. Returns the messages.
  std::string error_of(const std::string& command, int exit_code, const Settings& settings = {}) const;

  /// Expects of kann() this exit code and this error alone, nothing on stdout, and that no file comes, goes or
  /// is written.
  void expect_refused(const std::string& command, int exit_code, const std::string& error,
                      const Settings& settings = {}) const;

  /// Starts the program with a standard input that stays open and empty; finish() waits for its end.
  pid_t start(const Command& command, const Settings& settings = {});
  Outcome finish(pid_t pid);

  /// Writes to the standard input of what start() started, and ends it.
  void send(const std::string& text) const;
  void end_input();

  /// What the program that start() started has written to stderr so far.
  std::string messages() const;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write_file(const std::string& name, const std::string& bytes) const;
  std::string read_file(const std::string& name) const;
  json json_of(const std::string& name = "r.json") const { return json::parse(read_file(name)); }

  /// `n` points of a seeded uniform cloud, as lines "x y z".
  void write_cloud(const std::string& name, int n, std::uint64_t seed) const;

  /// Names in the folder, sorted. Captured streams are elsewhere.
  std::vector<std::string> files() const;

 private:
  std::string always_;
  std::filesystem::path streams_, folder_;
  int open_pipe_[2] = {-1, -1};
};

}  // namespace kann::test
