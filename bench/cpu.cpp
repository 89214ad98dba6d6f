// The CPU backend against the whole job of nanoflann, on the same points with the same number of threads, run
// alternately; and how both scale with threads.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "common/made_clouds.hpp"
#include "common/nanoflann_job.hpp"
#include "common/program.hpp"
#include "common/recall.hpp"
#include "common/table.hpp"

namespace kann::bench {
namespace {

struct Settings {
  int log2 = 20;
  std::vector<std::string> clouds = {"uniform"}, neighbors = {"8", "4", "16"};
};

/// The minimum speed at 2²⁰, k = 8, as a multiple of nanoflann's, whose build is serial.
constexpr double min_speedup(int threads) { return threads < 16 ? 10 : 14; }

/// The maximum serial part of a step as a fraction of the time of all steps on one thread.
constexpr double k_serial_part = 0.05;

struct Job {
  std::string what;
  std::vector<double> seconds;
  std::map<std::string, double> steps;  ///< milliseconds, of the fastest run
};

class CpuBench {
 public:
  CpuBench(const Program& program, const Settings& settings, Report& report)
      : program_(program), settings_(settings), report_(report) {}

  void run() {
    const std::int64_t n = std::int64_t{1} << settings_.log2;
    for (const std::string& cloud : settings_.clouds) {
      const Points data = make_cloud(cloud, n, program_.seed);
      const Points queries = make_cloud(cloud, n, program_.seed, Role::queries);
      for (const std::string& neighbors : settings_.neighbors) {
        const int k = std::stoi(neighbors);
        if (program_.wants(fmt::format("{}/k{}", cloud, k))) one_k(cloud, data, queries, k);
      }
    }
  }

 private:
  void one_k(const std::string& cloud, const Points& data, const Points& queries, int k) {
    const Table table(
        report_.text(),
        fmt::format("{}, 2^{} × 2^{}, k = {}: whole jobs in ms (nanoflann {}, float32, queries in Morton order)", cloud,
                    settings_.log2, settings_.log2, k, NanoflannJob::version()),
        12, {"job", "threads", "best", "median", "worst", "× nanofl.", "× 1 thread", "steps"});
    one_thread_.clear();
    for (int threads = 1;; threads = std::min(2 * threads, program_.threads)) {
      const std::vector<Job> jobs = in_turns(data, queries, k, threads);
      const double peer = spread_of(jobs[0].seconds).best;
      for (const Job& job : jobs) report_job(table, cloud, k, threads, job, peer);
      if (threads == program_.threads) break;
    }
  }

  /// Runs the jobs alternately, so that a disturbance of the machine affects all of them.
  std::vector<Job> in_turns(const Points& data, const Points& queries, int k, int threads) {
    std::vector<Job> jobs = {{"nanoflann", {}, {}}, {"shifted-sort", {}, {}}, {"exact", {}, {}}};
    NanoflannJob nanoflann(data, queries, threads);
    for (int run = -1; run < program_.repeat; ++run) {  // run −1 is the warm-up
      const double build = nanoflann.build(), sort = nanoflann.sort_queries(), search = nanoflann.query(k);
      keep(jobs[0], run, build + sort + search,
           {{"build", build * 1e3}, {"sort", sort * 1e3}, {"query", search * 1e3}});
      for (Job* job : {&jobs[1], &jobs[2]}) {
        const SearchResult result = kann_search(data, queries, k, threads, job->what);
        const StepSeconds& t = result.report.steps;
        keep(*job, run, result.report.total_seconds,
             {{"prepare", t.prepare * 1e3},
              {"encode", t.encode * 1e3},
              {"sort", t.sort * 1e3},
              {"rank", t.rank * 1e3},
              {"select", t.select * 1e3},
              {"rows", t.rows * 1e3}});
        if (run < 0 && threads == program_.threads && job->what == "exact")
          report_.check(fmt::format("exact, k = {}: nanoflann's distances", k),
                        is_near(nanoflann.neighbors(), result.neighbors));
      }
    }
    return jobs;
  }

  static SearchResult kann_search(const Points& data, const Points& queries, int k, int threads,
                                  const std::string& what) {
    SearchOptions options;
    options.k = k;
    options.threads = threads;
    options.device.kind = DeviceKind::cpu;
    options.method = what == "exact" ? Method::exact : Method::shifted_sort;
    return kann::search(data, queries, options);
  }

  static void keep(Job& job, int run, double seconds, std::map<std::string, double> steps) {
    if (run < 0) return;
    if (job.seconds.empty() || seconds < *std::min_element(job.seconds.begin(), job.seconds.end()))
      job.steps = std::move(steps);
    job.seconds.push_back(seconds);
  }

  void report_job(const Table& table, const std::string& cloud, int k, int threads, const Job& job, double peer) {
    const Spread spread = spread_of(job.seconds);
    if (threads == 1) one_thread_[job.what] = spread.best;
    const double alone = one_thread_[job.what];
    std::string steps;
    for (const auto& [step, ms] : job.steps) steps += fmt::format("{} {} ", step, ms_text(ms * 1e-3));
    table.row({job.what, std::to_string(threads), ms_text(spread.best), ms_text(spread.median), ms_text(spread.worst),
               number_text(peer / spread.best, 2), number_text(alone / spread.best, 2), steps});
    report_.add({{"cloud", cloud},
                 {"log2", settings_.log2},
                 {"k", k},
                 {"threads", threads},
                 {"what", job.what},
                 {"ms", ms_json(spread)},
                 {"steps_ms", job.steps},
                 {"times_nanoflann", peer / spread.best},
                 {"times_one_thread", alone / spread.best}});
    if (threads != program_.threads || job.what == "nanoflann") return;
    const std::string name = fmt::format("{}, {}, k = {}, {} threads", job.what, cloud, k, threads);
    if (k == 8)
      report_.target(name + ": times nanoflann's speed", peer / spread.best, Report::Wanted::at_least,
                     min_speedup(threads));
    if (threads < 16) return;  // with fewer threads, a fully parallel step takes more than 5 % of the one-thread time
    for (const auto& [step, ms] : job.steps)
      report_.target(fmt::format("{}: {} / all of one thread's time, less 1/threads", name, step),
                     std::max(0.0, ms * 1e-3 / alone - 1.0 / threads), Report::Wanted::at_most, k_serial_part);
  }

  const Program& program_;
  const Settings& settings_;
  Report& report_;
  std::map<std::string, double> one_thread_;  // seconds, by job
};

}  // namespace
}  // namespace kann::bench

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_cpu",
                  "kann on the CPU against the whole job of nanoflann, on 1 to T threads, run alternately");
  Settings settings;
  program.option("--log2", settings.log2, "number of points and of queries: 2 to this power");
  program.option("--cloud", settings.clouds, "kind of cloud; may be repeated (default: uniform)");
  program.option("--k", settings.neighbors, "neighbours; may be repeated (default: 8, 4, 16)");
  return program.run(argc, argv, [&](Report& report) { CpuBench(program, settings, report).run(); });
}
