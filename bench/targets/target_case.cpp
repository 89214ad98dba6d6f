// Measures, records and judges one search of bench_targets.
#include <algorithm>
#include <fmt/format.h>
#include <future>

#include "kann/accuracy.hpp"

#include "targets/targets.hpp"

namespace kann::bench {

std::string Case::name() const {
  return fmt::format("{}/{}/2^{}/k{}/{}/{}", group, cloud, log2, k, method, queries ? "separate" : "self");
}

double Measured::bytes_per_point() const {
  return static_cast<double>(time.peak_bytes) / static_cast<double>(data_count + query_count);
}
double Measured::bytes_per_data_point() const {
  return static_cast<double>(time.peak_bytes) / static_cast<double>(data_count);
}

Measured measure_case(const Program& program, const Case& c, bool keep_results) {
  SearchOptions options;
  options.k = c.k;
  options.threads = program.threads;
  options.method = c.method == "exact" ? Method::exact : Method::shifted_sort;
  if (c.method == "window-24") options.window = 24;
  const problem::Prepared prepared =
      problem::prepare(*c.data, c.queries ? std::optional<PointsView>(*c.queries) : std::nullopt, options);
  const auto searcher = make_searcher(prepared.problem, program.choice());
  Measured m;
  m.time = measure_search(*searcher, program.repeat);
  if (keep_results) m.found = searcher->take();
  m.data_count = c.data->size();
  m.query_count = c.queries ? c.queries->size() : 0;
  return m;
}

Json case_json(const Case& c, const Measured& m) {
  return {{"name", c.name()},
          {"group", c.group},
          {"cloud", c.cloud},
          {"log2", c.log2},
          {"k", c.k},
          {"method", c.method},
          {"self_query", c.queries == nullptr},
          {"ms", ms_json(m.time.device)},
          {"wall_ms", ms_json(m.time.wall)},
          {"steps_ms", steps_json(m.time.steps)},
          {"peak_bytes", m.time.peak_bytes},
          {"peak_bytes_per_point", m.bytes_per_point()},
          {"peak_bytes_per_data_point", m.bytes_per_data_point()}};
}

void Verdicts::add(const Case& c, Neighbors found) { waiting_.emplace_back(c, std::move(found)); }

void Verdicts::judge(Report& report) {
  std::vector<std::future<Accuracy>> verdicts;
  for (const auto& [c, found] : waiting_)
    verdicts.push_back(std::async(program_.threads > 4 ? std::launch::async : std::launch::deferred, [&] {
      AccuracyOptions options;
      options.sample = queries_;
      options.self_query = c.queries == nullptr;
      options.threads = std::max(1, program_.threads / 4);
      return measure_accuracy(*c.data, c.queries ? *c.queries : *c.data, found, options);
    }));
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const Accuracy accuracy = verdicts[i].get();
    const Case& c = waiting_[i].first;
    report.check(c.name() + " equals nanoflann in double on a sample (tie-aware recall 1)", accuracy.recall == 1,
                 fmt::format("recall {:.6f} of {} queries", accuracy.recall, accuracy.judged));
  }
  waiting_.clear();
}

}  // namespace kann::bench
