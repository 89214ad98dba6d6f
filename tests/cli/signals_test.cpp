// Signals in the middle of a run.
#include <algorithm>
#include <chrono>
#include <signal.h>
#include <sys/resource.h>
#include <thread>

#include "run_kann.hpp"

namespace kann::test {
namespace {

class SignalsTest : public ProgramTest {
 protected:
  /// Waits until the result's temporary file is there: the program is then past its checks, and reads.
  bool wait_for_temporary_file() const {
    for (int i = 0; i < 1000; ++i) {
      const std::vector<std::string> names = files();
      if (std::ranges::any_of(names, [](const std::string& name) { return name.ends_with(".tmp"); })) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

TEST_F(SignalsTest, EndTheRunAtOnceAndLeaveTheOldOutput) {
  write_file("out.npz", "old");
  for (const auto& [signal, exit_code, message] :
       {std::tuple{SIGINT, 130, "kann: error: interrupted; no partial output is left\n"},
        {SIGTERM, 143, "kann: error: terminated; no partial output is left\n"},
        {SIGHUP, 129, "kann: error: terminated; no partial output is left\n"}}) {
    const pid_t pid = start({"--data", "-", "--data-format", "xyz", "-o", "out.npz", "--force"});
    EXPECT_TRUE(wait_for_temporary_file());
    const auto before = std::chrono::steady_clock::now();
    kill(pid, signal);
    const Outcome o = finish(pid);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(1));
    EXPECT_EQ(o.exit_code, exit_code);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, message);
    EXPECT_EQ(files(), std::vector<std::string>{"out.npz"});
    EXPECT_EQ(read_file("out.npz"), "old");
  }
}

TEST_F(SignalsTest, WhatTheParentIgnoresStaysIgnored) {
  for (const int ignored : {SIGINT, SIGHUP}) {
    const auto before = signal(ignored, SIG_IGN);
    const pid_t pid = start({"--data", "-", "--data-format", "xyz", "-o", "out.npz"});
    signal(ignored, before);
    EXPECT_TRUE(wait_for_temporary_file());
    kill(pid, ignored);
    kill(pid, SIGTERM);  // would come second
    EXPECT_EQ(finish(pid).exit_code, 143);
    EXPECT_EQ(files(), std::vector<std::string>{});
  }
}

/// A bound on the size of files, for this process and those it starts, while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(SignalsTest, AResultBeyondTheLimitOnFileSizesIsAnError) {
  write_cloud("pts.xyz", 500, 1);
  const FileSizeLimit limit(4096);
  const Outcome o = run({"--data", "pts.xyz", "--device", "cpu", "-o", "out.npz"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_EQ(o.err, "kann: error: out.npz: File too large\n");
  EXPECT_EQ(files(), std::vector<std::string>{"pts.xyz"});
}

}  // namespace
}  // namespace kann::test
