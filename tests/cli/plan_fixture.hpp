// What the tests of --plan share: a plan, and the run that it is compared with.
#pragma once

#include <string>
#include <vector>

#include "clouds.hpp"
#include "ply_text.hpp"
#include "run_kann.hpp"

namespace kann::test {

class PlanTest : public ProgramTest {
 protected:
  PlanTest() : ProgramTest("--data p.ply --device cpu --threads 2 --force") {
    write_ply("p.ply", clusters(100'000, 3, 1));
    write_ply("q.ply", uniform(50'000, 3, 2));
    write_ply("u.ply", uniform(120'000, 3, 5));
  }

  void write_ply(const std::string& name, const Coordinates& c) { write_file(name, binary_ply(c)); }

  static std::vector<std::string> with(Command command, const Command& more) {
    command.words.insert(command.words.end(), more.words.begin(), more.words.end());
    return command.words;
  }

  json plan_of(const Command& command) const {
    const std::vector<std::string> before = files();
    const Outcome o = run(with(command, "--plan --json"));
    EXPECT_EQ(o.exit_code, 0) << o.err;
    EXPECT_EQ(files(), before);
    return json::parse(o.out);
  }

  /// Compares a plan with the report of the run. Where points crowd, there are more tiles than the plan says.
  json expect_as_planned(const std::string& search, bool is_uniform = true) {
    const std::string command = "--threads 2 --device cpu --force " + search;
    const json plan = plan_of(command);
    const Outcome o = run(command + " --json");
    EXPECT_EQ(o.exit_code, 0) << o.err;
    const json report = json::parse(o.out);
    for (const char* const key : {"k", "radius", "method", "device"}) EXPECT_EQ(plan[key], report[key]) << key;
    EXPECT_EQ(plan["data"]["path"], report["data"]["path"]);
    EXPECT_EQ(plan["query"]["path"], report["query"]["path"]);
    if (!plan["estimated"]) {
      EXPECT_EQ(plan["data"]["points"], report["data"]["points"]);
      EXPECT_EQ(plan["query"]["points"], report["query"]["points"]);
    }
    EXPECT_EQ(plan["outputs"][0]["path"], report["output"]["path"]);
    if (!k_is_sanitized) {
      EXPECT_LE(report["memory_peak_bytes"]["host"], plan["memory_bytes"]["needed"]);
    }
    EXPECT_EQ(plan["tiles"].is_null(), !report.contains("tiles"));
    if (plan["tiles"].is_null()) return plan;
    EXPECT_EQ(plan["tiles"].value("pieces", 0), report["tiles"].value("pieces", 0));
    if (is_uniform)
      EXPECT_EQ(plan["tiles"]["count"], report["tiles"]["count"]);
    else
      EXPECT_LE(plan["tiles"]["count"], report["tiles"]["count"]);
    EXPECT_LE(report["tiles"]["charged_bytes"], plan["memory_bytes"]["needed"]);
    EXPECT_EQ(plan["memory_bytes"]["budget"], report["tiles"]["budget_bytes"]);
    EXPECT_LE(plan["tiles"]["temporary_bytes"].get<double>(), 1.1 * report["tiles"]["temporary_bytes"].get<double>());
    return plan;
  }
};

}  // namespace kann::test
