// Recall against time: over shifts and windows on synthetic and real clouds, and at the defaults on real clouds.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "kann/accuracy.hpp"

#include "common/made_clouds.hpp"
#include "common/peers.hpp"
#include "common/program.hpp"
#include "common/recall.hpp"
#include "common/searcher.hpp"
#include "common/table.hpp"
#include "problem/prepare.hpp"
#include "recall_clouds.hpp"

namespace kann::bench {
namespace {

struct Settings {
  std::vector<std::string> files;
  std::vector<std::pair<std::string, std::string>> pairs;
  int log2 = 20, judged_queries = 10000;
  bool quick = false;
};

constexpr int k_max_neighbors = 32;
const std::vector<int> k_neighbors = {1, 8, 16, 32};

/// The result of one search, one row per query of the input.
struct Found {
  SearchMeasurement time;
  Neighbors neighbors;
  problem::Problem problem;  ///< for its parameters only: its pointers dangle
};

/// The record of a measurement of recall.
Json record_of(const char* what, const NamedCloud& cloud, const Found& found, double recall) {
  return {{"what", what},
          {"cloud", cloud.name},
          {"points", cloud.data.size()},
          {"k", found.problem.k},
          {"shifts", found.problem.shifts},
          {"window", found.problem.window},
          {"recall", recall},
          {"ms", ms_json(found.time.device)}};
}

class RecallBench {
 public:
  RecallBench(const Program& program, const Settings& settings, Report& report)
      : program_(program), settings_(settings), report_(report) {}

  void run() {
    if (!program_.on_cuda())
      report_.skip("the GPU's times", program_.no_cuda_reason() + "; the CPU is measured instead");
    std::vector<NamedCloud> real;
    for (const std::string& file : settings_.files) real.push_back(cloud_of_file(file));
    for (const auto& [data, queries] : settings_.pairs) real.push_back(cloud_of_pair(data, queries));
    defaults(real);
    for (const std::string& kind : k_clouds)
      if (program_.wants("sweep/" + kind)) sweep(made_cloud(kind, settings_.log2, program_.seed));
    for (const NamedCloud& cloud : real)
      if (program_.wants("sweep/" + cloud.name)) sweep(cloud);
  }

 private:
  /// Recall at the defaults, computed with nanoflann in double, which shares no code with the search.
  void defaults(const std::vector<NamedCloud>& clouds) {
    if (clouds.empty())
      return report_.skip("recall of real clouds at the defaults", "no --cloud and no --pair was given");
    std::vector<std::string> headers = {"recall at the defaults"};
    for (const int k : k_neighbors) headers.push_back(fmt::format("k = {}", k));
    const Table table(report_.text(), "Real clouds at the defaults, judged by nanoflann in double", 44, headers);
    for (const NamedCloud& cloud : clouds) {
      if (!program_.wants("defaults/" + cloud.name)) continue;
      std::vector<std::string> cells = {cloud.name};
      for (const int k : k_neighbors) {
        SearchOptions options;
        options.k = k;
        const Found found = search(cloud, options, 1);
        const Accuracy accuracy = judge(cloud, found.neighbors);
        Json record = record_of("defaults", cloud, found, accuracy.recall);
        record["judged"] = accuracy.judged;
        report_.add(record);
        report_.target(fmt::format("{}, k = {}: recall at the defaults", cloud.name, k), accuracy.recall,
                       Report::Wanted::at_least, k_min_recall);
        cells.push_back(number_text(accuracy.recall, 4));
      }
      table.row(cells);
    }
  }

  /// Recall and time of the defaults and over shifts × windows: all of them for k = 8, a few for other k.
  void sweep(const NamedCloud& cloud) {
    SearchOptions exact_options;
    exact_options.k = k_max_neighbors;
    exact_options.method = Method::exact;
    const Found exact = search(cloud, exact_options, 1);
    const Accuracy accuracy = judge(cloud, exact.neighbors);
    report_.check(cloud.name + ": exact equals nanoflann in double on a sample (tie-aware recall 1)",
                  accuracy.recall == 1, fmt::format("recall {:.6f} of {} queries", accuracy.recall, accuracy.judged));

    for (const int k : k_neighbors) {
      const bool full = k == 8;
      if (settings_.quick && !full) continue;
      const auto windows = full ? all_windows(k) : std::set<std::int64_t>{k, k + 4, 2 * k + 4, 4 * k};
      std::vector<std::string> headers = {"S"};
      for (const std::int64_t window : windows) headers.push_back(fmt::format("{:>14}", fmt::format("W = {}", window)));
      const Table table(report_.text(),
                        fmt::format("{}, {} points, k = {}: recall (ms)", cloud.name, cloud.data.size(), k), 8,
                        headers);
      for (const int shifts : full ? std::vector<int>{1, 3, 5, 7, 9} : std::vector<int>{1, 3, 5}) {
        std::vector<std::string> cells = {std::to_string(shifts)};
        for (const std::int64_t window : windows) cells.push_back(point(cloud, exact.neighbors, k, shifts, window));
        table.row(cells);
      }
      table.row({"default", point(cloud, exact.neighbors, k, std::nullopt, std::nullopt)});
    }
  }

  static std::set<std::int64_t> all_windows(std::int64_t k) {
    return {k, k + 4, 3 * k / 2, 2 * k, 2 * k + 4, 3 * k, 4 * k};
  }

  std::string point(const NamedCloud& cloud, const Neighbors& exact, int k, std::optional<int> shifts,
                    std::optional<std::int64_t> window) {
    SearchOptions options;
    options.k = k;
    options.method = Method::shifted_sort;
    options.shifts = shifts;
    options.window = window;
    const Found found = search(cloud, options, settings_.quick ? 1 : std::min(program_.repeat, 3));
    const double recall = recall_against(found.neighbors, exact);
    Json record = record_of("sweep", cloud, found, recall);
    record["default"] = !shifts && !window;
    record["steps_ms"] = steps_json(found.time.steps);
    report_.add(record);
    return fmt::format("{:.4f} ({})", recall, ms_text(found.time.device.best));
  }

  Found search(const NamedCloud& cloud, SearchOptions options, int repeat) {
    options.threads = program_.threads;
    options.invalid = InvalidPoints::skip;
    const problem::Prepared prepared =
        problem::prepare(cloud.data, cloud.queries ? std::optional<PointsView>(*cloud.queries) : std::nullopt, options);
    const auto searcher = make_searcher(prepared.problem, program_.choice());
    Found found;
    found.time = measure_search(*searcher, repeat);
    found.neighbors =
        problem::restore_rows(searcher->take(), prepared, cloud.queries ? cloud.queries->size() : cloud.data.size());
    found.problem = prepared.problem;
    return found;
  }

  Accuracy judge(const NamedCloud& cloud, const Neighbors& found) {
    AccuracyOptions options;
    options.sample = settings_.judged_queries;
    options.self_query = !cloud.queries;
    options.threads = program_.threads;
    return measure_accuracy(cloud.data, cloud.queries ? *cloud.queries : cloud.data, found, options);
  }

  const Program& program_;
  const Settings& settings_;
  Report& report_;
};

}  // namespace
}  // namespace kann::bench

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_recall", "Recall against time over shifts and windows, and recall at the defaults");
  Settings settings;
  program.option("--cloud", settings.files, "a real cloud, queried by itself; may be repeated");
  program.option("--pair", settings.pairs, "DATA QUERY: two real clouds; may be repeated");
  program.option("--log2", settings.log2, "points of the synthetic clouds: 2 to this power");
  program.option("--judged-queries", settings.judged_queries, "queries compared with nanoflann in double");
  program.option("--quick", settings.quick, "only k = 8, one run each");
  return program.run(argc, argv, [&](Report& report) { RecallBench(program, settings, report).run(); });
}
