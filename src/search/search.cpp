// The steps of a search: prepare the problem, choose a device, search, report.
#include "kann/search.hpp"

#include <chrono>
#include <utility>

#include "base/float_environment.hpp"
#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "problem/prepare.hpp"
#include "search/device_choice.hpp"
#include "search/radius.hpp"
#include "search/sample_recall.hpp"
#include "search/warnings.hpp"

namespace kann {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// `queries` is null in a self-query.
SearchResult run(const Points& data, const Points* queries, const SearchOptions& options) {
  const base::DefaultFloatEnvironment environment;
  const auto start = Clock::now();
  const problem::Prepared prepared = problem::prepare(data, queries, options);
  const problem::Problem& p = prepared.problem;
  const double prepare_seconds = seconds_since(start);

  detail::ChosenDevice device = detail::choose_device(p, options);
  problem::Answer answer = device.kind == DeviceKind::cuda
                               ? cuda::solve(p, options.device.index, std::move(device.prewarmed))
                               : cpu::solve(p);

  SearchResult result;
  const std::int64_t short_rows = detail::rows_cut_by_window(p, answer.neighbors);
  if (options.radius) result.report.within_radius = detail::keep_within(*options.radius, p, answer.neighbors);
  if (p.method == Method::shifted_sort) result.report.sample = detail::sample_recall(p, answer, options.radius);
  const std::int64_t query_count = queries ? queries->size() : data.size();
  result.neighbors = problem::restore_rows(std::move(answer.neighbors), prepared, query_count);

  SearchReport& report = result.report;
  report.device = answer.device;
  report.device_reason = device.reason;
  report.data_points = data.size();
  report.query_points = query_count;
  report.data_skipped = prepared.data_skipped;
  report.query_skipped = prepared.query_skipped;
  report.dimensions = p.dimensions;
  report.method = p.method;
  report.shifts = p.shifts;
  report.window = p.window;
  report.bits = p.bits;
  report.doubtful = answer.doubtful;
  report.steps = answer.steps;
  report.steps.prepare = prepare_seconds;
  report.steps.start_up = device.waited_seconds;
  report.start_up_seconds = device.start_up_seconds;
  report.device_peak_bytes = answer.device_peak_bytes;
  report.warnings = std::move(device.warnings);
  for (std::string& warning : detail::warnings_about(prepared, result, short_rows, options))
    report.warnings.push_back(std::move(warning));
  report.total_seconds = seconds_since(start) - answer.rows_seconds;
  return result;
}

}  // namespace

SearchResult search(const Points& data, const Points& queries, const SearchOptions& options) {
  return run(data, &queries, options);
}

SearchResult search_self(const Points& data, const SearchOptions& options) { return run(data, nullptr, options); }

CudaStatus cuda_status(int index) { return cuda::status(index); }

}  // namespace kann
