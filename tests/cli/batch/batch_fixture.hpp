// A folder with clouds for batches, and what is asked of their messages and reports.
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "../run_kann.hpp"

namespace kann::test {

/// A folder with the map m.xyz (500 points) and the queries a.xyz, b.xyz, c.xyz (40 … 60).
class BatchTest : public ProgramTest {
 protected:
  explicit BatchTest(const std::string& always = "--device cpu -k 3") : ProgramTest(always) {
    write_cloud("m.xyz", 500, 1);
    write_cloud("a.xyz", 40, 2);
    write_cloud("b.xyz", 50, 3);
    write_cloud("c.xyz", 60, 4);
  }

  /// The file that one call alone writes.
  std::string alone(const std::string& search) const {
    std::string bytes = written(search + " -o alone.npz --force -q", "alone.npz");
    std::filesystem::remove(path("alone.npz"));
    return bytes;
  }

  void wait_for_file(const std::string& name) const {
    for (int i = 0; i < 3000 && !std::filesystem::exists(path(name)); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ASSERT_TRUE(std::filesystem::exists(path(name)));
  }

  /// The lines in alphabetical order: jobs are reported as they end.
  static std::string sorted(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
    std::ranges::sort(lines);
    return std::accumulate(lines.begin(), lines.end(), std::string());
  }
  static std::string last_line(const std::string& text) {
    const auto end = text.find_last_not_of('\n');
    const auto begin = text.find_last_of('\n', end);
    return text.substr(begin + 1, end - begin);
  }
  static bool ends_with_counts(const std::string& err, const std::string& counts) {
    return last_line(err).starts_with("kann: batch: " + counts + " in ");
  }
  static std::vector<json> lines_of(const std::string& text) {
    std::vector<json> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
    return lines;
  }
};

}  // namespace kann::test
