// Clouds and queries about which bounds are hard to find: time of exact relative to uniform, beside the CPU's threads
// on a GPU, and beside nanoflann on the CPU.
#include <algorithm>
#include <fmt/format.h>

#include "common/made_clouds.hpp"
#include "common/nanoflann_job.hpp"
#include "common/peers.hpp"
#include "common/table.hpp"
#include "targets/targets.hpp"

namespace kann::bench {
namespace {

using Wanted = Report::Wanted;

/// All data are about equally far from every query: no multiple of uniform is wanted.
bool is_equally_far(const std::string& cloud) { return cloud == "in-sphere"; }

/// At most this many queries, as a power of two: nanoflann takes milliseconds for some.
int most_query_log2(const std::string& cloud) { return is_equally_far(cloud) ? 11 : cloud == "beside-line" ? 14 : 63; }

/// The seconds of the same search by those who are not to be faster: the CPU's threads, or nanoflann.
double seconds_of_others(const Program& program, const Points& data, const Points& queries, int k) {
  if (!program.on_cuda()) {
    NanoflannJob job(data, queries, program.threads);
    return measure(program.repeat, [&] { return job.build() + job.sort_queries() + job.query(k); }).best;
  }
  SearchOptions options;
  options.k = k;
  options.threads = program.threads;
  options.method = Method::exact;
  const problem::Prepared prepared = problem::prepare(data, queries, options);
  return measure_search(*make_searcher(prepared.problem, {DeviceKind::cpu}), program.repeat).wall.best;
}

}  // namespace

void measure_hard(const Program& program, const TargetSettings& settings, Report& report) {
  const Points none;
  const auto case_of = [&](const std::string& cloud) {
    return Case{"hard", cloud, "exact", settings.hard_log2, 8, nullptr, &none};
  };
  const auto wanted = [&](const std::string& cloud) { return program.wants(case_of(cloud).name()); };
  if (std::none_of(k_hard_clouds.begin(), k_hard_clouds.end(), wanted)) return;

  const std::string others = program.on_cuda() ? fmt::format("{} threads", program.threads) : "nanoflann";
  const Table table(report.text(), "Hard clouds, exact, k = 8: ms, and per query as multiples of uniform", 40,
                    {"case", "queries", "best", "worst", "/uniform", others, "/" + others});
  const std::int64_t n = std::int64_t{1} << settings.hard_log2;
  double uniform = 0;  // seconds per query
  const auto run = [&](const std::string& cloud) {
    const std::int64_t m = std::int64_t{1} << std::min(settings.hard_log2, most_query_log2(cloud));
    const Points data = make_cloud(cloud, n, program.seed);
    const Points queries = make_cloud(cloud, m, program.seed, Role::queries);
    Case c = case_of(cloud);
    c.data = &data;
    c.queries = &queries;
    Measured measured = measure_case(program, c, true);
    const Spread& ours = measured.time.device;
    const double per_query = ours.best / static_cast<double>(m);
    if (uniform == 0) uniform = per_query;
    const double theirs = seconds_of_others(program, data, queries, c.k), to_theirs = ours.best / theirs;
    Json record = case_json(c, measured);
    record["queries"] = m;
    record["to_uniform"] = per_query / uniform;
    record["others"] = others;
    record["others_ms"] = theirs * 1e3;
    report.add(record);
    table.row({c.name(), std::to_string(m), ms_text(ours.best), ms_text(ours.worst),
               number_text(per_query / uniform, 1), ms_text(theirs), number_text(to_theirs, 2)});
    report.target(c.name() + " / " + others, to_theirs, Wanted::at_most, 1);
    if (program.on_cuda() && !is_equally_far(cloud))
      report.target(c.name() + " / uniform, per query", per_query / uniform, Wanted::at_most, k_hard_to_uniform);
    Verdicts verdicts(program, std::min(settings.judged_queries, 200));
    verdicts.add(c, std::move(measured.found));
    verdicts.judge(report);
  };
  run("uniform");
  for (const std::string& cloud : k_hard_clouds)
    if (wanted(cloud)) run(cloud);
}

}  // namespace kann::bench
