// Signals during a run.
#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <regex>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "../file_size_limit.hpp"
#include "../run_kann.hpp"
#include "clouds.hpp"

namespace kann::test {
namespace {

class SignalsTest : public ProgramTest {
 protected:
  static constexpr const char* k_line = "kann: error: interrupted; files are whole or absent\n";

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
  for (const auto& [signal, exit_code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    const pid_t pid = start("--data - --data-format xyz -o out.npz --force");
    EXPECT_TRUE(wait_for_temporary_file(pid));
    kill(pid, signal);
    const Outcome o = finish(pid);  // stdin stays open: without a handler that exits, the run would not end
    EXPECT_EQ(o.exit_code, exit_code);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(o.err, k_line);
    EXPECT_EQ(files(), Names{"out.npz"});
    EXPECT_EQ(read_file("out.npz"), "old");
  }
}

TEST_F(SignalsTest, LeaveAReportWhereAScriptLooks) {
  for (const auto& [signal, exit_code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    const pid_t pid = start("--data - --data-format xyz --json --report r.json --html r.html --force");
    while (read_file("r.json").find("unfinished") == std::string::npos) std::this_thread::yield();
    kill(pid, signal);
    const Outcome o = finish(pid);
    EXPECT_EQ(o.exit_code, exit_code);
    EXPECT_EQ(o.err, k_line);
    EXPECT_TRUE(has(read_file("r.html"), "interrupted; files are whole or absent"));
    for (const std::string& text : {o.out, read_file("r.json")}) {
      const json j = json::parse(text);
      EXPECT_EQ(j["error"], (json{{"kind", "interrupted"},
                                  {"message", "interrupted; files are whole or absent"},
                                  {"exit_code", exit_code}}));
      EXPECT_EQ(j["data"]["path"], "-");
      EXPECT_TRUE(j["output"].is_null());
    }
    EXPECT_EQ(files(), (Names{"r.html", "r.json"}));
  }
}

/// All data are about equally far from the queries: nanoflann visits all of them for each.
TEST_F(SignalsTest, WhoWaitsForVerifyKnowsHowLong) {
  Random random(4);
  const auto write = [&](const std::string& name, int n, bool is_on_sphere) {
    std::string text;
    for (int i = 0; i < n; ++i) {
      const double x = random.normal(), y = random.normal(), z = random.normal();
      const double scale = is_on_sphere ? 1 / std::sqrt(x * x + y * y + z * z) : 1e-3;
      for (const double c : {x, y, z}) text += std::to_string(scale * c) + " ";
      text += "\n";
    }
    write_file(name, text);
  };
  write("sphere.xyz", 100'000, true);
  write("centre.xyz", 400'000, false);
  const pid_t pid =
      start("--data sphere.xyz --query centre.xyz --device cpu --threads 1 --method shifted-sort --window 8 --verify");
  std::smatch found;
  std::string said;
  for (int i = 0; i < 6000 && !std::regex_search(said = messages(), found, std::regex("verify: .*\n")); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(std::regex_match(found.str(), std::regex("verify: \\d+ (s|min|h) left; --verify N compares N queries\n")))
      << said;
  kill(pid, SIGTERM);
  EXPECT_EQ(finish(pid).exit_code, 143);
  EXPECT_TRUE(std::filesystem::exists(path("centre.knn.npz")));
}

// At any moment: while it starts, reads, searches, verifies and writes.
TEST_F(SignalsTest, AtAnyMomentLeaveOneReportAndAResultThatIsWholeOrAbsent) {
  write_cloud("pts.xyz", 20'000, 1);
  const std::string search = "--data pts.xyz --device cpu --verify -k16 -o out.npy --report r.json --force --json";
  Random random(3);
  const std::uint64_t longest_us = k_is_sanitized ? 1'500'000 : 120'000;  // it starts more slowly then
  int interrupted = 0;
  for (int i = 0; i < 60; ++i) {
    const pid_t pid = start(search);
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(longest_us)));
    kill(pid, SIGTERM);
    const Outcome o = finish(pid);
    if (o.exit_code == -SIGTERM) continue;  // before main()
    ASSERT_TRUE(o.exit_code == 0 || o.exit_code == 143) << o.exit_code << o.err;
    const std::vector<std::string> names = files();
    const bool is_whole = std::ranges::count(names, "out.npy") > 0;
    EXPECT_TRUE(!is_whole || std::ranges::count(names, "out.distances.npy") > 0);
    for (const std::string& name : names) EXPECT_FALSE(begins(name, "."));
    if (o.exit_code == 0) continue;
    ++interrupted;
    if (!std::filesystem::exists(path("r.json"))) continue;  // before the options were read
    const json report = json_of("r.json");
    if (report.contains("error")) {  // else it was whole when the signal came
      EXPECT_TRUE(report["error"]["kind"] == "interrupted" || report["error"]["kind"] == "unfinished");
    }
    EXPECT_TRUE(o.out.empty() || json::parse(o.out)["version"] == 1);
    std::filesystem::remove(path("r.json"));
  }
  EXPECT_GT(interrupted, 10);
}

TEST_F(SignalsTest, EndARunThatNobodyReads) {
  write_cloud("pts.xyz", 300, 1);
  int pipe_ends[2];
  ASSERT_EQ(pipe2(pipe_ends, O_CLOEXEC), 0);
  fcntl(pipe_ends[1], F_SETFL, O_NONBLOCK);
  const std::string page(4096, 'x');
  while (write(pipe_ends[1], page.data(), page.size()) > 0) continue;
  fcntl(pipe_ends[1], F_SETFL, 0);
  const pid_t pid = start("--data pts.xyz --device cpu -o out.npz --report r.json", {.stdout_fd = pipe_ends[1]});
  while (!std::filesystem::exists(path("out.npz"))) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // it now waits for a reader of its stdout
  kill(pid, SIGTERM);
  const Outcome o = finish(pid);
  for (const int fd : pipe_ends) close(fd);
  EXPECT_EQ(o.exit_code, 143);
  EXPECT_EQ(o.err, k_line);
  EXPECT_EQ(json_of("r.json")["error"]["exit_code"], 143);
}

TEST_F(SignalsTest, AKilledRunLeavesNoEarlierReportForItsOwn) {
  write_cloud("pts.xyz", 300, 1);
  succeeds("--data pts.xyz --device cpu -o a.npz --report r.json");
  EXPECT_FALSE(json_of("r.json").contains("error"));
  const pid_t pid = start("--data - --data-format xyz -o b.npz --report r.json --force");
  while (!json_of("r.json").contains("error")) std::this_thread::yield();
  EXPECT_TRUE(wait_for_temporary_file(pid));
  kill(pid, SIGKILL);
  EXPECT_EQ(finish(pid).exit_code, -SIGKILL);
  const json report = json_of("r.json");
  EXPECT_EQ(report["error"], json::parse(R"({"kind":"unfinished","exit_code":null,
      "message":"the run has not ended, or it was killed"})"));
  EXPECT_EQ(files().size(), 4u);  // with a temporary file, which the next run removes
  succeeds("--data pts.xyz --device cpu -o b.npz --report r.json --force");
  EXPECT_EQ(files(), (Names{"a.npz", "b.npz", "pts.xyz", "r.json"}));
}

TEST_F(SignalsTest, SignalsIgnoredByTheParentStayIgnored) {
  for (const int ignored : {SIGINT, SIGHUP}) {
    const auto before = signal(ignored, SIG_IGN);
    const pid_t pid = start("--data - --data-format xyz -o out.npz");
    signal(ignored, before);
    EXPECT_TRUE(wait_for_temporary_file(pid));
    kill(pid, ignored);
    kill(pid, SIGTERM);
    EXPECT_EQ(finish(pid).exit_code, 143);
    EXPECT_EQ(files(), Names{});
  }
}

// The line "verify" of the progress is shown before the first row is judged.
TEST_F(SignalsTest, AKillWhileTheResultIsJudgedLeavesIt) {
  write_cloud("pts.xyz", 20000, 1);
  succeeds("--data pts.xyz --device cpu -o whole.npz");
  for (const int signal : {SIGKILL, SIGINT}) {
    const pid_t pid = start("--data pts.xyz --device cpu -o out.npz --verify --progress always");
    for (siginfo_t ended{}; ended.si_pid == 0 && messages().find("kann: verify") == std::string::npos;
         waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT))
      std::this_thread::yield();
    kill(pid, signal);
    const Outcome o = finish(pid);
    EXPECT_TRUE(has(o.err, "kann: verify"));
    EXPECT_EQ(o.out, "out.npz\n");
    EXPECT_TRUE(read_file("out.npz") == read_file("whole.npz"));  // megabytes, not to be printed
    EXPECT_EQ(files(), (Names{"out.npz", "pts.xyz", "whole.npz"}));
    std::filesystem::remove(path("out.npz"));
  }
}

TEST_F(SignalsTest, AResultBeyondTheLimitOfFileSizesIsAnError) {
  write_cloud("pts.xyz", 500, 1);
  const FileSizeLimit limit(4096);
  expect_refused("--data pts.xyz --device cpu -o out.npz", 4, "out.npz: File too large");
  write_file("out.npz", "old");
  expect_refused("--data pts.xyz --device cpu -o out.npz --force", 4, "out.npz: File too large (old file kept)");
}

}  // namespace
}  // namespace kann::test
