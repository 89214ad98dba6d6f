// The lines of a list of jobs.
#include "cli/batch/job_entry.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kann/error.hpp"

namespace kann::cli {
namespace {

void expect_entry(const std::string& line, const std::string& data, const std::optional<std::string>& query,
                  const std::string& output) {
  const JobEntry entry = read_job_line(line);
  EXPECT_EQ(entry.fault, "") << line;
  EXPECT_EQ(entry.data, data) << line;
  EXPECT_EQ(entry.query, query) << line;
  EXPECT_EQ(entry.output, output) << line;
}

TEST(ReadJobLine, TakesUpToThreeFields) {
  expect_entry("map.ply\tq.ply\tout/q.npz", "map.ply", "q.ply", "out/q.npz");
  expect_entry("map.ply\tq.ply", "map.ply", "q.ply", "");
  expect_entry("map.ply", "map.ply", std::nullopt, "");
  expect_entry("\tq.ply\t", "", "q.ply", "");
  expect_entry("map.ply\t\tm.npz\r", "map.ply", std::nullopt, "m.npz");
  expect_entry("a b.ply\tc,d.ply\t{stem}.npz", "a b.ply", "c,d.ply", "{stem}.npz");
}

TEST(ReadJobLine, TakesAnObject) {
  expect_entry(R"({"data": "map.ply", "query": "q.ply", "output": "q.npz"})", "map.ply", "q.ply", "q.npz");
  expect_entry(R"( {"output":"tab\t.npz","query":null,"data":"\u00e4.ply"})", "ä.ply", std::nullopt, "tab\t.npz");
  expect_entry("{}", "", std::nullopt, "");
}

TEST(ReadJobLine, SaysWhatIsWrong) {
  const std::string expected = "expected data<TAB>query<TAB>output, or a JSON object with these keys";
  const std::pair<std::string, std::string> lines[] = {
      {"a\tb\tc\td", expected + " (got 4 fields)"},
      {"{\"data\":\"a\"", expected + " (got no valid JSON object)"},
      {"{\"data\":1}", "'data' is not a text"},
      {"{\"data\":\"\\ud800\"}", expected + " (got no valid JSON object)"},
      {"{\"data\":\"a\",\"query\":\"\"}", "'query' is empty"},
      {"{\"data\":\"a\\u0000b\"}", "a file name cannot hold a NUL"},
      {"{\"dta\":\"a\"}", "unknown key 'dta'; a job has data, query and output"},
      {"{\"data\":\"a\",\"data\":\"b\"}", "the key 'data' is there twice"},
      {std::string("a\0b", 3), "a file name cannot hold a NUL"}};
  for (const auto& [line, fault] : lines) EXPECT_EQ(read_job_line(line).fault, fault) << line;
}

TEST(OptionsOf, FillInWhatALineLeavesOut) {
  Options batch;
  batch.data = "map.ply";
  batch.output = "out/{index}_{stem}.csv";
  JobEntry entry = read_job_line("\tframes/a.ply");
  entry.number = 7;
  const Options options = options_of(entry, batch);
  EXPECT_EQ(options.data, "map.ply");
  EXPECT_EQ(options.query, "frames/a.ply");
  EXPECT_EQ(options.output, "out/7_a.csv");
  EXPECT_EQ(options.output_format, NeighborFormat::csv);
  EXPECT_TRUE(options.is_batch_job);
  // A list of query files
  EXPECT_EQ(options_of(read_job_line("frames/a.ply"), batch).data, "map.ply");
  EXPECT_EQ(options_of(read_job_line("frames/a.ply"), batch).query, "frames/a.ply");
  EXPECT_EQ(options_of(read_job_line("frames/a.ply\t"), batch).data, "frames/a.ply");
  EXPECT_EQ(options_of(read_job_line("frames/a.ply\t"), batch).query, std::nullopt);
  EXPECT_EQ(options_of(read_job_line("frames/a.ply"), Options()).data, "frames/a.ply");
  EXPECT_EQ(options_of(read_job_line("{\"data\":\"frames/a.ply\"}"), batch).query, std::nullopt);
  EXPECT_EQ(options_of(read_job_line("b.ply\tc.ply\tc.npz"), batch).data, "b.ply");
  EXPECT_EQ(options_of(read_job_line("b.ply\tc.ply\tc.npz"), batch).output, "c.npz");
}

TEST(OptionsOf, RefuseWhatNoJobCanHave) {
  const auto message = [](const std::string& line) -> std::string {
    try {
      options_of(read_job_line(line), Options());
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), ErrorKind::usage);
      return e.what();
    }
    return "none";
  };
  EXPECT_EQ(
      message("\tq.ply"),
      "names no data, and there is no --data; expected data<TAB>query<TAB>output, or a JSON object with these keys");
  EXPECT_EQ(message("-"), "a batch reads no cloud from standard input; give files");
  EXPECT_EQ(message("a.ply\t-"), "a batch reads no cloud from standard input; give files");
  EXPECT_EQ(message("a.ply\t\t-"), "a batch writes no result to standard output; give files");
  EXPECT_TRUE(message("a.ply\t\ta.jpg").starts_with("a.jpg: unknown output format"));
}

}  // namespace
}  // namespace kann::cli
