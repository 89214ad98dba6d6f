// Park 2017, Tables 1 and 2, beside the same measurements on this machine: on the GPU the pipeline as published
// (paper), the shifted sort and exact; on the CPU ANN, as in the paper, nanoflann, the shifted sort and exact.
#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "common/ann_job.hpp"
#include "common/made_clouds.hpp"
#include "common/nanoflann_job.hpp"
#include "common/program.hpp"
#include "common/published.hpp"
#include "common/searcher.hpp"
#include "common/table.hpp"
#include "problem/prepare.hpp"

namespace kann::bench {
namespace {

struct Settings {
  int max_log2 = 23, cpu_max_log2 = 23, ann_queries_log2 = 18, cpu_repeat = 2;
};

struct Clouds {
  explicit Clouds(int log2, std::uint64_t seed)
      : data(make_cloud("uniform", std::int64_t{1} << log2, seed)),
        queries(make_cloud("uniform", std::int64_t{1} << log2, seed, Role::queries)) {}
  Points data, queries;
};

class ParkTables {
 public:
  ParkTables(const Program& program, const Settings& settings, Report& report)
      : program_(program), settings_(settings), report_(report) {}

  void run() {
    published();
    if (!program_.on_cuda()) report_.skip("paper, shifted-sort and exact on a GPU", program_.no_cuda_reason());
    table_1();
    table_2();
  }

 private:
  /// Adds the published times as records, for scripts/plot.
  void published() {
    const auto add = [&](const char* table, int log2, int k, const char* what, double ms) {
      report_.add(record_of(table, log2, k, what, "published", spread_of({ms * 1e-3})));
    };
    for (const auto& row : k_park_table_1) {
      add("table1", row.log2, 4, "paper", row.shifted_sort_ms);
      add("table1", row.log2, 1, "ann", row.ann_ms);
      add("table1", row.log2, 1, "gpu-kd-tree", row.gpu_kd_tree_ms);
    }
    for (const auto& row : k_park_table_2) add("table2", 22, row.k, "paper", row.shifted_sort_ms);
  }

  void table_1() {
    if (program_.on_cuda()) table_1_gpu();
    table_1_cpu();
  }

  void table_1_gpu() {
    const Table gpu(report_.text(), "Table 1, k = 4, ms (GPU: points and results on the device)", 6,
                    {"n = m", "published", "paper", "shifted-sort-s5-w4", "shifted-sort", "exact", "published MB",
                     "paper MB", "shifted-sort MB", "exact MB"});
    for (const auto& row : k_park_table_1)
      if (row.log2 <= settings_.max_log2) {
        const Clouds clouds(row.log2, program_.seed);
        const auto paper = search("table1", row.log2, clouds, "paper", 4);
        const auto same = search("table1", row.log2, clouds, "shifted-sort-s5-w4", 4);
        const auto shifted = search("table1", row.log2, clouds, "shifted-sort", 4);
        const auto exact = search("table1", row.log2, clouds, "exact", 4);
        gpu.row({power_text(row.log2), number_text(row.shifted_sort_ms, 0), ms(paper), ms(same), ms(shifted), ms(exact),
                 number_text(row.memory_mb, 1), mb(paper, row.log2), mb(shifted, row.log2), mb(exact, row.log2)});
        if (row.log2 == 23 && paper)
          report_.target("paper, 2^23, k = 4, ms", paper->device.best * 1e3, Wanted::at_most, 100);
        if (row.log2 == 23 && paper && shifted)
          report_.target("paper / shifted-sort, 2^23, k = 4", paper->device.best / shifted->device.best,
                         Wanted::at_least, 10);
      }
  }

  void table_1_cpu() {
    const Table cpu(report_.text(),
                    fmt::format("Table 1, CPU, whole jobs in ms (ANN: one thread; the others: {})", program_.threads),
                    6, {"n = m", "ANN published", "ANN k=1", "ANN k=4", "nanoflann", "shifted-sort", "exact"});
    for (const auto& row : k_park_table_1)
      if (row.log2 <= std::min(settings_.max_log2, settings_.cpu_max_log2)) {
        const Clouds clouds(row.log2, program_.seed);
        const auto [ann_1, ann_4] = ann(row.log2, clouds);
        const auto tree = nanoflann("table1", row.log2, clouds, {4});
        cpu.row({power_text(row.log2), number_text(row.ann_ms, 0), ann_1, ann_4, tree[0],
                 kann_cpu("table1", row.log2, clouds, Method::shifted_sort, 4),
                 kann_cpu("table1", row.log2, clouds, Method::exact, 4)});
      }
  }

  void table_2() {
    const int log2 = std::min(22, settings_.max_log2);
    const bool cpu = log2 <= settings_.cpu_max_log2;
    if (!program_.on_cuda() && !cpu) return;
    const Clouds clouds(log2, program_.seed);
    const Table table(
        report_.text(), fmt::format("Table 2, n = m = 2^{}, ms", log2), 4,
        {"k", "published", "paper", "shifted-sort", "exact", "nanoflann", "CPU shifted-sort", "CPU exact"});
    std::vector<std::int64_t> ks;
    for (const auto& row : k_park_table_2) ks.push_back(row.k);
    const auto tree = cpu ? nanoflann("table2", log2, clouds, ks) : std::vector<std::string>(ks.size());
    for (std::size_t i = 0; i < ks.size(); ++i) {
      const auto k = ks[i];
      const auto gpu = [&](const char* what) {
        return program_.on_cuda() ? ms(search("table2", log2, clouds, what, k)) : "";
      };
      const auto host = [&](Method method) { return cpu ? kann_cpu("table2", log2, clouds, method, k) : ""; };
      table.row({std::to_string(k), number_text(k_park_table_2[i].shifted_sort_ms, 0), gpu("paper"),
                 gpu("shifted-sort"), gpu("exact"), tree[i], host(Method::shifted_sort), host(Method::exact)});
    }
  }

  using Wanted = Report::Wanted;
  using Measured = std::optional<SearchMeasurement>;

  Measured search(const std::string& table, int log2, const Clouds& clouds, const std::string& what, std::int64_t k) {
    if (!program_.wants(fmt::format("{}/{}/2^{}/k{}", table, what, log2, k))) return std::nullopt;
    SearchOptions options;
    options.k = k;
    options.method = what == "exact" ? Method::exact : what == "paper" ? Method::paper : Method::shifted_sort;
    if (what == "shifted-sort-s5-w4") {  // the candidates of the paper, by the shifted sort
      options.shifts = 5;
      options.window = k;
    }
    const problem::Prepared prepared = problem::prepare(clouds.data, clouds.queries, options);
    const auto measured = measure_search(*make_searcher(prepared.problem, program_.choice()), program_.repeat);
    Json record = record_of(table, log2, k, what, "cuda", measured.device);
    record["wall_ms"] = ms_json(measured.wall);
    record["steps_ms"] = steps_json(measured.steps);
    record["shifts"] = prepared.problem.shifts;
    record["window"] = prepared.problem.window;
    record["peak_bytes"] = measured.peak_bytes;
    record["inputs_bytes"] = inputs_bytes(log2);
    record["results_bytes"] = results_bytes(log2, k);
    report_.add(record);
    return measured;
  }

  /// The whole job of ANN for one and for four neighbours. The time of more than 2^ann_queries_log2 queries is
  /// extrapolated from a sample of that size, since all 2²³ queries take minutes.
  std::pair<std::string, std::string> ann(int log2, const Clouds& clouds) {
    if (!program_.wants(fmt::format("table1/ann/2^{}", log2))) return {};
    AnnJob job(clouds.data, clouds.queries);
    const std::int64_t all = clouds.queries.size();
    const std::int64_t count = std::min(all, std::int64_t{1} << settings_.ann_queries_log2);
    const double build = job.build();
    const auto whole = [&](int k) {
      const double queries = job.query(k, count) * static_cast<double>(all) / static_cast<double>(count);
      const double seconds = build + queries;
      Json record = record_of("table1", log2, k, "ann", "cpu", spread_of({seconds}));
      record["threads"] = 1;
      record["build_ms"] = build * 1e3;
      record["timed_queries"] = count;
      report_.add(record);
      return ms_text(seconds);
    };
    const std::string one = whole(1);
    return {one, whole(4)};
  }

  std::vector<std::string> nanoflann(const std::string& table, int log2, const Clouds& clouds,
                                     const std::vector<std::int64_t>& ks) {
    std::vector<std::string> cells(ks.size());
    if (!program_.wants(fmt::format("{}/nanoflann/2^{}", table, log2))) return cells;
    NanoflannJob job(clouds.data, clouds.queries, program_.threads);
    const int runs = repeats(log2);
    std::vector<double> before;
    for (int run = 0; run < runs; ++run) {
      const double build = job.build();
      before.push_back(build + job.sort_queries());
    }
    const Spread ready = spread_of(before);
    for (std::size_t i = 0; i < ks.size(); ++i) {
      std::vector<double> seconds;
      for (int run = 0; run < runs; ++run) seconds.push_back(ready.best + job.query(ks[i]));
      Json record = record_of(table, log2, ks[i], "nanoflann", "cpu", spread_of(seconds));
      record["threads"] = program_.threads;
      record["build_and_sort_ms"] = ms_json(ready);
      report_.add(record);
      cells[i] = ms_text(spread_of(seconds).best);
    }
    return cells;
  }

  std::string kann_cpu(const std::string& table, int log2, const Clouds& clouds, Method method, std::int64_t k) {
    const std::string what = method == Method::exact ? "exact" : "shifted-sort";
    if (!program_.wants(fmt::format("{}/cpu-{}/2^{}/k{}", table, what, log2, k))) return "";
    SearchOptions options;
    options.k = k;
    options.method = method;
    options.device.kind = DeviceKind::cpu;
    options.threads = program_.threads;
    std::vector<double> seconds;
    for (int run = 0; run < repeats(log2); ++run)
      seconds.push_back(kann::search(clouds.data, clouds.queries, options).report.total_seconds);
    Json record = record_of(table, log2, k, what, "cpu", spread_of(seconds));
    record["threads"] = program_.threads;
    report_.add(record);
    return ms_text(spread_of(seconds).best);
  }

  int repeats(int log2) const { return log2 <= 16 ? 5 : settings_.cpu_repeat; }

  static Json record_of(const std::string& table, int log2, std::int64_t k, const std::string& what,
                        const std::string& device, const Spread& spread) {
    return {{"table", table}, {"log2", log2}, {"k", k}, {"what", what}, {"device", device}, {"ms", ms_json(spread)}};
  }

  static std::int64_t inputs_bytes(int log2) { return (std::int64_t{2} << log2) * 3 * 4; }
  static std::int64_t results_bytes(int log2, std::int64_t k) { return (std::int64_t{1} << log2) * k * 8; }
  static std::string ms(const Measured& measured) { return measured ? ms_text(measured->device.best) : ""; }

  /// All memory including points and results, as in the paper.
  static std::string mb(const Measured& m, int log2) {
    if (!m) return "";
    return number_text(static_cast<double>(m->peak_bytes + inputs_bytes(log2) + results_bytes(log2, 4)) / 1048576, 1);
  }

  const Program& program_;
  const Settings& settings_;
  Report& report_;
};

}  // namespace
}  // namespace kann::bench

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_park_tables", "Park 2017, Tables 1 (time and memory against n) and 2 (time against k)");
  Settings settings;
  program.option("--max-log2", settings.max_log2, "largest n is 2 to this power");
  program.option("--cpu-max-log2", settings.cpu_max_log2, "the same for the columns of the CPU");
  program.option("--cpu-repeat", settings.cpu_repeat, "runs on the CPU from 2^17 on");
  program.option("--ann-queries-log2", settings.ann_queries_log2,
                 "maximum number of queries that ANN is timed on: 2 to this power");
  return program.run(argc, argv, [&](Report& report) { ParkTables(program, settings, report).run(); });
}
