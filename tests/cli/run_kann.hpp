// Runs the program as a user does, in a temporary folder, and keeps all that can be seen of it.
#pragma once

#include <filesystem>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace kann::test {

struct Outcome {
  int exit_code = -1;  ///< negative: the signal that ended it
  std::string out, err;
};

struct Settings {
  std::vector<std::pair<std::string, std::string>> variables = {};  ///< KANN_* and NO_COLOR are unset but for these
  std::string stdin_text = {};
  std::string stdout_path = "stdout.txt";  ///< "" closes it
  bool close_stderr = false;
  std::uint64_t address_space = 0;  ///< bytes that the program may have; 0: no limit
};

/// A folder of its own for each test; every run has it as its working folder.
class ProgramTest : public testing::Test {
 protected:
  ProgramTest();
  ~ProgramTest() override;

  /// Runs to the end.
  Outcome run(const std::vector<std::string>& arguments, const Settings& settings = {}) const;

  /// Starts `kann` with a standard input that stays open and empty; `finish()` waits for its end.
  pid_t start(const std::vector<std::string>& arguments);
  Outcome finish(pid_t pid);

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void write_file(const std::string& name, const std::string& bytes) const;
  std::string read_file(const std::string& name) const;

  /// `n` points of a seeded uniform cloud, as lines "x y z".
  void write_cloud(const std::string& name, int n, std::uint64_t seed) const;

  /// Names in the folder, sorted, but for the captured streams.
  std::vector<std::string> files() const;

 private:
  std::filesystem::path streams_, folder_;
  int open_pipe_[2] = {-1, -1};
};

}  // namespace kann::test
