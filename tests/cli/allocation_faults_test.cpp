// Every allocation of a run fails once, and then all from it on: one line, the right exit code, the result whole or
// absent, and no temporary file.
#include <filesystem>
#include <functional>
#include <map>

#include "part.hpp"
#include "run_kann.hpp"

namespace kann::test {
namespace {

namespace fs = std::filesystem;

class AllocationFaults : public ProgramTest, public testing::WithParamInterface<const char*> {
 protected:
  AllocationFaults() {
    write_cloud("pts.xyz", 40, 1);
    run(arguments(k_whole, "whole.json"));
    whole_ = read_file(k_whole);
  }

  static std::string arguments(const std::string& output, const std::string& report) {
    return "pts.xyz --device cpu --threads 2 -k2 --verify --force --quiet --radius 100 --method " +
           std::string(GetParam()) + " -o " + output + " --report " + report +
           (output == k_whole ? "" : std::string(" --compare ") + k_whole);
  }

  /// Runs with the allocation `number` as `variable` says, until it is beyond the last. `check` looks at each run.
  void for_every_allocation(const std::string& variable, const std::function<void(const Outcome&)>& check) {
    ASSERT_GT(whole_.size(), 500u);
    std::map<int, int> codes;
    Part part;
    for (int number = 1;; ++number) {
      if (!part.takes_next()) continue;
      SCOPED_TRACE(variable + "=" + std::to_string(number));
      write_file("out.npz", "old");
      for (const char* const earlier : {"mark", "out.json"}) fs::remove(path(earlier));
      const Outcome o = run(arguments("out.npz", "out.json"), {.variables = {{"LD_PRELOAD", KANN_FAIL_ALLOCATION},
                                                                             {variable, std::to_string(number)},
                                                                             {"FAIL_ALLOCATION_MARK", path("mark")}}});
      if (!fs::exists(path("mark"))) {
        EXPECT_EQ(o.exit_code, 0);
        EXPECT_GT(number, 100);  // else the library was not loaded
        break;
      }
      ++codes[o.exit_code];
      for (const std::string& name : files()) EXPECT_FALSE(name.ends_with(".tmp")) << name;
      const std::string result = read_file("out.npz");
      EXPECT_TRUE(o.exit_code == 0 ? result == whole_ : result == whole_ || result == "old");
      if (o.exit_code == 0) {
        EXPECT_EQ(o.err.find("error"), o.err.npos) << o.err;
      } else {
        EXPECT_EQ(o.exit_code, 4) << o.err;
        const std::size_t line = o.err.find("kann: error: ");  // nanoflann prints a line of its own before
        EXPECT_NE(line, o.err.npos);
        EXPECT_EQ(o.err.find('\n', line), o.err.size() - 1) << o.err;
      }
      check(o);
      if (HasFailure()) break;
    }
    for (const auto& [code, count] : codes) RecordProperty("exit_" + std::to_string(code), count);
    EXPECT_GT(codes[4], 25);
  }

  static constexpr const char* k_whole = "whole.npz";
  std::string whole_;
};

TEST_P(AllocationFaults, OneAfterTheOther) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer has its own malloc()";
  for_every_allocation("FAIL_ALLOCATION", [&](const Outcome& o) {
    // Memory is there again when the report is made, unless its own allocation fails.
    if (o.exit_code != 0 && fs::exists(path("out.json"))) {
      const auto report = json_of("out.json");
      EXPECT_TRUE(report.contains("error"));
    }
  });
}

TEST_P(AllocationFaults, AllFromOneOn) {
  if (k_is_sanitized) GTEST_SKIP() << "a sanitizer has its own malloc()";
  for_every_allocation("FAIL_ALLOCATIONS_FROM", [](const Outcome&) {});
}

INSTANTIATE_TEST_SUITE_P(Methods, AllocationFaults, testing::Values("shifted-sort", "exact"),
                         [](const auto& m) { return std::string(m.param) == "exact" ? "Exact" : "ShiftedSort"; });

}  // namespace
}  // namespace kann::test
