// Signals during a run.
#include <algorithm>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>

#include "run_kann.hpp"

namespace kann::test {
namespace {

class SignalsTest : public ProgramTest {
 protected:
  /// Waits until the temporary file of the result exists: the program has then checked its options and is reading.
  /// False if the program ends before.
  bool wait_for_temporary_file(pid_t pid) const {
    for (siginfo_t ended{}; ended.si_pid == 0;
         waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT)) {
      const std::vector<std::string> names = files();
      if (std::ranges::any_of(names, [](const std::string& name) { return name.ends_with(".tmp"); })) return true;
      std::this_thread::yield();
    }
    return false;
  }
};

TEST_F(SignalsTest, EndTheRunAndKeepTheOldOutput) {
  write_file("out.npz", "old");
  for (const auto& [signal, exit_code, message] :
       {std::tuple{SIGINT, 130, "kann: error: interrupted; no partial output is left\n"},
        {SIGTERM, 143, "kann: error: terminated; no partial output is left\n"},
        {SIGHUP, 129, "kann: error: terminated; no partial output is left\n"}}) {
    const pid_t pid = start({"--data", "-", "--data-format", "xyz", "-o", "out.npz", "--force"});
    EXPECT_TRUE(wait_for_temporary_file(pid));
    kill(pid, signal);
    const Outcome o = finish(pid);  // stdin stays open: without a handler that exits, the run would not end
    EXPECT_EQ(o.exit_code, exit_code);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, message);
    EXPECT_EQ(files(), std::vector<std::string>{"out.npz"});
    EXPECT_EQ(read_file("out.npz"), "old");
  }
}

TEST_F(SignalsTest, SignalsIgnoredByTheParentStayIgnored) {
  for (const int ignored : {SIGINT, SIGHUP}) {
    const auto before = signal(ignored, SIG_IGN);
    const pid_t pid = start({"--data", "-", "--data-format", "xyz", "-o", "out.npz"});
    signal(ignored, before);
    EXPECT_TRUE(wait_for_temporary_file(pid));
    kill(pid, ignored);
    kill(pid, SIGTERM);
    EXPECT_EQ(finish(pid).exit_code, 143);
    EXPECT_EQ(files(), std::vector<std::string>{});
  }
}

/// Limits the size of files of this process and of those that it starts, until it is destroyed.
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

TEST_F(SignalsTest, AResultBeyondTheLimitOfFileSizesIsAnError) {
  write_cloud("pts.xyz", 500, 1);
  const FileSizeLimit limit(4096);
  const Outcome o = run({"--data", "pts.xyz", "--device", "cpu", "-o", "out.npz"});
  EXPECT_EQ(o.exit_code, 4);
  EXPECT_EQ(o.err, "kann: error: out.npz: File too large\n");
  EXPECT_EQ(files(), std::vector<std::string>{"pts.xyz"});

  write_file("out.npz", "old");
  const Outcome replacing = run({"--data", "pts.xyz", "--device", "cpu", "-o", "out.npz", "--force"});
  EXPECT_EQ(replacing.exit_code, 4);
  EXPECT_EQ(replacing.err, "kann: error: out.npz: File too large (old file kept)\n");
  EXPECT_EQ(read_file("out.npz"), "old");
}

}  // namespace
}  // namespace kann::test
