// Which files count as reports of earlier runs, and of which result.
#include "cli/json/earlier_report.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/report/report.hpp"
#include "gtest/gtest.h"

namespace kann::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class EarlierReport : public testing::Test {
 protected:
  EarlierReport() {
    std::string name = (fs::temp_directory_path() / "kann_test_XXXXXX").string();
    folder_ = mkdtemp(name.data());
    options_.data = "pts.ply";
    options_.output = "caf\xc3\xa9 \"1\".npz";
    report_.output_written = true;
  }
  ~EarlierReport() override { fs::remove_all(folder_); }

  std::string file(const std::string& text) const {
    std::ofstream(folder_ / "r.json", std::ios::binary) << text;
    return folder_ / "r.json";
  }
  json good() const { return json::parse(report_json(options_, report_)); }

  fs::path folder_;
  Options options_;
  Report report_;
};

TEST_F(EarlierReport, AreThoseOfThisProgramInAnyOrderAndSpacing) {
  EXPECT_TRUE(is_empty_or_report(file("")));
  EXPECT_TRUE(is_empty_or_report(file(report_json(options_, report_))));
  EXPECT_TRUE(is_empty_or_report(file(good().dump())));  // sorted by key
  json more = good();
  more["a_key_of_a_later_version"] = {1, 2};
  more["version"] = 2;
  EXPECT_TRUE(is_empty_or_report(file(more.dump(7))));
  options_.all_neighbors = true;
  EXPECT_EQ(good()["k"], "all");
  EXPECT_TRUE(is_empty_or_report(file(good().dump())));
  Report failed;
  failed.failure = Failure(ErrorKind::usage, "odd");
  EXPECT_TRUE(is_empty_or_report(file(report_json({}, failed))));
}

TEST_F(EarlierReport, AreNotOtherFiles) {
  for (const char* text :
       {R"({"name": "kann", "version": "1.0.0"})", R"({"version": 1, "kann": {"version": "0.1.0", "commit": "x"}})",
        R"({"name": "x", "version": "1.0", "dependencies": {"kann": "^1.0.0"}})", "{}", "[]", "\n", "\"kann\"", "{",
        R"({"version": 1, "kann": {}})"})
    EXPECT_FALSE(is_empty_or_report(file(text))) << text;
  EXPECT_FALSE(is_empty_or_report(folder_));
  EXPECT_FALSE(is_empty_or_report(folder_ / "missing"));
}

TEST_F(EarlierReport, LackNoKeyAndHaveNoOtherType) {
  for (const char* key : {"version", "kann", "data", "query", "self_query", "k", "method", "device", "timing_s",
                          "memory_peak_bytes", "output", "warnings"}) {
    json lacking = good(), other = good();
    lacking.erase(key);
    EXPECT_FALSE(is_empty_or_report(file(lacking.dump()))) << key;
    other[key] = 1.5;
    EXPECT_FALSE(is_empty_or_report(file(other.dump()))) << key;
  }
  json text_version = good();
  text_version["version"] = "1";
  EXPECT_FALSE(is_empty_or_report(file(text_version.dump())));
  const std::string whole = report_json(options_, report_);
  EXPECT_FALSE(is_empty_or_report(file(whole + "x")));
  EXPECT_FALSE(is_empty_or_report(file(whole.substr(0, whole.size() - 3))));
}

TEST_F(EarlierReport, BelongToTheResultThatTheyWrote) {
  const std::string path = file(report_json(options_, report_));
  EXPECT_TRUE(is_report_of(path, options_.output));
  EXPECT_FALSE(is_report_of(path, "other.npz"));
  EXPECT_FALSE(is_report_of(file(""), options_.output));
  report_.failure = Failure(ErrorKind::check_failed, "recall");
  EXPECT_FALSE(is_report_of(file(report_json(options_, report_)), options_.output));
  report_.failure.reset();
  report_.output_written = false;
  EXPECT_FALSE(is_report_of(file(report_json(options_, report_)), options_.output));
}

}  // namespace
}  // namespace kann::cli
