#include "search/run_search.hpp"

#include <utility>

#include "base/float_environment.hpp"
#include "base/seconds_since.hpp"
#include "cuda/backend.hpp"
#include "search/devices/device_choice.hpp"
#include "search/given_distance.hpp"
#include "search/rows/radius.hpp"
#include "search/warnings.hpp"

namespace kann::detail {
namespace {

problem::Answer solve_on(ChosenDevice& device, const problem::Problem& p, KeptIndexes* index) {
  if (device.kind == DeviceKind::cpu) return index ? index->cpu.solve(p) : cpu::solve(p);
  return index ? index->on_cuda(device.index).solve(p, std::move(device.result))
               : cuda::solve(p, device.index, std::move(device.result));
}

}  // namespace

Solved solve(const SearchOptions& options, KeptIndexes* index, const Prepare& prepare) {
  Solved solved;
  problem::Prepared& prepared = solved.prepared = prepare();
  const problem::Problem& p = prepared.problem;
  const double prepare_seconds = base::seconds_since(solved.start);
  ChosenDevice device = choose_device(p, options, index && index->cpu.has_orders_for(p));
  // A sample of an approximate answer is searched in the same data, which are then on a GPU already
  std::optional<KeptIndexes> own;
  if (!index && p.method != Method::exact && device.kind == DeviceKind::cuda) index = &own.emplace();
  problem::Answer& answer = solved.answer = solve_on(device, p, index);
  if (p.method != Method::exact)
    solved.sample.emplace(p, [&](const problem::Problem& exact) { return solve_on(device, exact, index); });

  SearchReport& report = solved.report;
  report.device = answer.device;
  report.device_reason = device.reason;
  report.data_points = p.data_count + prepared.data_skipped;
  report.query_points = p.query_count + prepared.query_skipped;
  report.data_skipped = prepared.data_skipped;
  report.query_skipped = prepared.query_skipped;
  report.dimensions = p.dimensions;
  report.method = p.method;
  report.shifts = p.shifts;
  report.window = p.window;
  report.steps = answer.steps;
  report.steps.prepare = prepare_seconds;
  report.steps.start_up = device.waited_seconds;
  if (solved.sample) report.steps.sample = solved.sample->seconds();
  report.start_up_seconds = device.start_up_seconds;
  report.device_peak_bytes = answer.device_peak_bytes;
  return solved;
}

SearchResult run_search(const SearchOptions& options, KeptIndexes* index, const Prepare& prepare,
                        const problem::RowParts& parts) {
  const base::DefaultFloatEnvironment environment;
  Solved solved = solve(options, index, [&] {
    problem::Prepared prepared = prepare();
    if (prepared.has_final_rows() && !options.radius && options.device.kind == DeviceKind::cuda)
      prepared.problem.parts = parts;
    return prepared;
  });
  const problem::Problem& p = solved.prepared.problem;
  problem::Answer& answer = solved.answer;

  SearchResult result;
  result.report = std::move(solved.report);
  SearchReport& report = result.report;
  if (p.parts.take) {  // whoever takes the rows knows what there is to say of them
    report.total_seconds = base::seconds_since(solved.start);
    return result;
  }
  const std::int64_t short_rows = rows_cut_by_window(p, answer.neighbors);
  if (options.radius) {
    const auto difference = [&](std::int64_t query, std::int64_t point) {
      return FromQuery(p, query).difference_to(point);
    };
    const Within within = keep_within(*options.radius, p.method, p.threads, difference, answer.neighbors);
    report.within_radius = within.neighbors;
    report.full_rows = within.full_rows;
  }
  if (solved.sample) report.sample = solved.sample->recall(p, answer.neighbors, options.radius);
  result.neighbors = problem::restore_rows(std::move(answer.neighbors), solved.prepared, report.query_points);
  report.warnings = warnings_about(solved.prepared, result, short_rows);
  report.total_seconds = base::seconds_since(solved.start);
  if (parts.take && report.query_points > 0) parts.take(0, result.neighbors);
  return result;
}

}  // namespace kann::detail
