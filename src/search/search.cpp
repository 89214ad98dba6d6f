// The one place that orders a run: check, choose a device, run, collect.
#include "kann/search.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/copy_threads.hpp"
#include "base/short_number.hpp"
#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "geometry/window.hpp"
#include "problem/prepare.hpp"
#include "search/start_up.hpp"

namespace kann {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Arrays of the answer's size with their pages there, which costs nothing while the device starts: 537 MB are copied
/// to pages that are there in 0.07 s on one thread, to fresh huge pages in 0.13 and to fresh small ones in 0.28.
Neighbors prefault_result(const Problem& p) {
  Neighbors result{p.query_count, p.k, {}, {}};
  result.ids.resize(static_cast<std::size_t>(p.query_count * p.k));
  result.distances.resize(result.ids.size());
  const auto touch = [](auto& values) {
    constexpr std::size_t page = 4096 / sizeof(values[0]), grain = k_large_bytes / sizeof(values[0]);
    on_threads(values.size(), grain, [&](std::size_t begin, std::size_t count) {
      for (std::size_t i = begin; i < begin + count; i += page) values[i] = 0;
    });
  };
  touch(result.ids);
  touch(result.distances);
  return result;
}

/// The device to run on, started if it is a CUDA device; never falls back from an explicit choice.
DeviceKind choose_device(const Problem& problem, const SearchOptions& options, cuda::Prewarmed& prewarmed,
                         SearchReport& report) {
  if (options.device.kind == DeviceKind::cpu && options.pipeline == Pipeline::paper)
    throw Error(ErrorKind::usage, "--pipeline paper runs on CUDA devices only, got --device cpu");
  if (options.device.kind == DeviceKind::cpu) return DeviceKind::cpu;
  const auto start = Clock::now();
  if (is_starting(options)) prewarmed.result = prefault_result(problem);
  const std::shared_ptr<const StartedDevice> device = started_device(options);
  report.steps.start_up = seconds_since(start);
  report.start_up_seconds = device->seconds;
  prewarmed.staging = device->staging;
  const CudaStatus& cuda = device->status;
  if (cuda.usable && options.device.kind == DeviceKind::automatic &&
      std::min(problem.k, problem.data_count) > cuda::max_neighbors()) {
    report.warnings.push_back("k=" + std::to_string(problem.k) + " is past the " +
                              std::to_string(cuda::max_neighbors()) +
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

/// Queries that tell of all.
constexpr std::int64_t k_sample = 1000;

/// Calls f(begin of the distances of a query) for a sample of them.
template <class F>
void each_sampled(const Neighbors& found, F&& f) {
  const std::int64_t looked_at = std::min(found.queries, k_sample);
  for (std::int64_t i = 0; i < looked_at; ++i) f(found.distances.begin() + i * found.queries / looked_at * found.k);
}

/// The median distance to the last neighbour found; 0 if there is none.
double typical_distance(const Neighbors& found) {
  std::vector<float> distances;
  each_sampled(found, [&](auto row) {
    const auto missing = std::find(row, row + found.k, std::numeric_limits<float>::infinity());
    if (missing != row) distances.push_back(*(missing - 1));
  });
  if (distances.empty()) return 0;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

/// Off the data, points are many that are about as far: on a plane queried from 20 of its points' distances away, the
/// windows hold .57 of the nearest, and exact search takes no longer.
void warn_if_far(const Problem& p, const Neighbors& found, std::vector<std::string>& warnings) {
  if (p.method == Method::exact || found.k < k_far_neighbors) return;
  std::int64_t far = 0, looked_at = 0;
  each_sampled(found, [&](auto row) {
    far += is_far(row[0] * row[0], row[k_far_neighbors - 1] * row[k_far_neighbors - 1]);
    ++looked_at;
  });
  if (2 * far <= looked_at) return;
  warnings.push_back(
      "most queries stand off the data, with many points about as far: the approximate answer may miss "
      "many of the nearest; --exact finds all");
}

/// Distances are of coordinates rounded to float32: where that is a hundredth of them, some neighbours are others.
void warn_if_coarse(const Prepared& prepared, const Neighbors& found, const SearchOptions& options,
                    std::vector<std::string>& warnings) {
  const double distance = typical_distance(found);
  if (128 * prepared.rounding <= distance || distance == 0) return;
  warnings.push_back(options.data_name + ": float32 rounds coordinates this far apart to " +
                     short_number(prepared.rounding) + ", and neighbours are " + short_number(distance) +
                     " away: some may be wrong; crop or split the clouds");
}

SearchResult run(const Points& data, const Points* queries, const SearchOptions& options) {
  const auto start = Clock::now();
  const Prepared prepared = prepare(data, queries, options);
  const double prepare_seconds = seconds_since(start);
  SearchResult result;
  SearchReport& report = result.report;
  cuda::Prewarmed prewarmed;
  const DeviceKind device = choose_device(prepared.problem, options, prewarmed, report);
  if (device == DeviceKind::cpu) prewarmed = {};  // the CPU needs the memory

  Answer answer = device == DeviceKind::cuda ? cuda::solve(prepared.problem, options.device.index, std::move(prewarmed))
                                             : cpu::solve(prepared.problem);

  const Problem& p = prepared.problem;
  const std::int64_t query_count = queries ? queries->size() : data.size();
  result.neighbors = restore_rows(std::move(answer.neighbors), prepared, query_count);
  report.device = answer.device;
  report.data_points = data.size();
  report.query_points = query_count;
  report.data_skipped = prepared.data_skipped;
  report.query_skipped = prepared.query_skipped;
  report.dimensions = p.dimensions;
  report.method = p.method;
  report.shifts = p.shifts;
  report.window = p.window;
  report.far_window = p.far_window;
  report.bits = p.bits;
  answer.steps.prepare = prepare_seconds;
  answer.steps.start_up = report.steps.start_up;
  report.steps = answer.steps;
  report.device_peak_bytes = answer.device_peak_bytes;
  warn_if_missing(prepared, options, report.warnings);
  warn_if_coarse(prepared, result.neighbors, options, report.warnings);
  warn_if_far(p, result.neighbors, report.warnings);
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
