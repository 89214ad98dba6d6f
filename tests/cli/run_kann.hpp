// Runs the program as a user does, in a temporary folder, and collects exit code, stdout, stderr and files.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace kann::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized = true;
#else
constexpr bool k_is_sanitized = false;
#endif

struct Outcome {
  int exit_code = -1;  ///< negative: number of the signal that ended the program
  std::string out, err;
};

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
  ProgramTest();
  ~ProgramTest() override;

  /// Runs the program and waits for its end.
  Outcome run(const std::vector<std::string>& arguments, const Settings& settings = {}) const;

  /// Starts the program with a standard input that stays open and empty; finish() waits for its end.
  pid_t start(const std::vector<std::string>& arguments, const Settings& settings = {});
  Outcome finish(pid_t pid);

  /// Writes to the standard input of what start() started, and ends it.
  void send(const std::string& text) const;
  void end_input();

  /// What the program that start() started has written to stderr so far.
  std::string messages() const;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write_file(const std::string& name, const std::string& bytes) const;
  std::string read_file(const std::string& name) const;

  /// `n` points of a seeded uniform cloud, as lines "x y z".
  void write_cloud(const std::string& name, int n, std::uint64_t seed) const;

  /// Names in the folder, sorted. Captured streams are elsewhere.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path streams_, folder_;
  int open_pipe_[2] = {-1, -1};
};

}  // namespace kann::test
