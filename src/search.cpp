// The one place that orders a run: check, choose a device, run, collect.
#include "kann/search.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include "kann/error.hpp"

#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "prepare.hpp"

namespace kann {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// The device to run on; never falls back from an explicit choice.
DeviceKind choose_device(const Problem& problem, const SearchOptions& options, std::vector<std::string>& warnings) {
  if (options.device.kind == DeviceKind::cpu && options.pipeline == Pipeline::paper)
    throw Error(ErrorKind::usage, "--pipeline paper runs on CUDA devices only, got --device cpu");
  if (options.device.kind == DeviceKind::cpu) return DeviceKind::cpu;
  const CudaStatus cuda = cuda_status(options.device.index);
  if (cuda.usable && options.device.kind == DeviceKind::automatic &&
      std::min(problem.k, problem.data_count) > cuda::most_neighbors()) {
    warnings.push_back("k=" + std::to_string(problem.k) + " is past the " + std::to_string(cuda::most_neighbors()) +
                       " that the CUDA kernels take; the CPU does the work");
    return DeviceKind::cpu;
  }
  if (cuda.usable) return DeviceKind::cuda;
  if (options.pipeline == Pipeline::paper)
    throw Error(ErrorKind::no_device, "no CUDA device (" + cuda.reason + "), and --pipeline paper needs one");
  if (options.device.kind == DeviceKind::cuda)
    throw Error(ErrorKind::no_device, "no CUDA device (" + cuda.reason + "); use --device cpu");
  return DeviceKind::cpu;
}

void warn_if_missing(const Prepared& prepared, const SearchOptions& options, std::vector<std::string>& warnings) {
  const Problem& p = prepared.problem;
  const std::int64_t findable = p.data_count - (p.drop_self ? 1 : 0);
  if (p.query_count == 0 || p.k <= findable) return;
  const std::string count = std::to_string(p.data_count) + (prepared.data_skipped ? " valid points" : " points");
  warnings.push_back("k=" + std::to_string(p.k) + " but " + options.data_name + " has " + count +
                     (p.drop_self ? ", the query itself among them" : "") +
                     "; missing neighbours are id -1, distance inf");
}

SearchResult run(const Points& data, const Points* queries, const SearchOptions& options) {
  const auto start = Clock::now();
  const Prepared prepared = prepare(data, queries, options);
  const double prepare_seconds = seconds_since(start);
  SearchResult result;
  SearchReport& report = result.report;
  const DeviceKind device = choose_device(prepared.problem, options, report.warnings);

  Answer answer =
      device == DeviceKind::cuda ? cuda::solve(prepared.problem, options.device.index) : cpu::solve(prepared.problem);

  const Problem& p = prepared.problem;
  const std::int64_t query_count = queries ? queries->size() : data.size();
  result.neighbors = restore_rows(std::move(answer.neighbors), prepared, query_count);
  report.device = answer.device;
  report.data_points = data.size();
  report.query_points = query_count;
  report.data_skipped = prepared.data_skipped;
  report.query_skipped = prepared.query_skipped;
  report.dimensions = p.dimensions;
  report.shifts = p.shifts;
  report.window = p.window;
  report.bits = p.bits;
  report.steps = answer.steps;
  report.steps.prepare = prepare_seconds;
  report.device_peak_bytes = answer.device_peak_bytes;
  warn_if_missing(prepared, options, report.warnings);
  report.total_seconds = seconds_since(start);
  return result;
}

}  // namespace

SearchResult search(const Points& data, const Points& queries, const SearchOptions& options) {
  return run(data, &queries, options);
}

SearchResult search_self(const Points& data, const SearchOptions& options) { return run(data, nullptr, options); }

CudaStatus cuda_status(int index) { return cuda::status(index); }

}  // namespace kann
