#include "cuda/device_index.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kann/device_buffer.hpp"
#include "kann/error.hpp"

#include "cuda/order/device_points.hpp"
#include "cuda/queued_search.hpp"
#include "cuda/runtime/mark.hpp"
#include "cuda/runtime/on_device.hpp"
#include "problem/prepare.hpp"
#include "problem/unevenness.hpp"
#include "problem/valid_points.hpp"

namespace kann::cuda {
namespace {

/// Whether work that is queued on a stream is recorded into a CUDA graph.
bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// Refuses memory that is not the device's: if a kernel used it, that would end all work on the device.
void check_memory(const void* pointer, int device, const std::string& name) {
  if (device_of(pointer) != device)
    throw Error(ErrorKind::bad_input, name + ": not in the memory of CUDA device " + std::to_string(device));
}

void check_memory(const PointsView& points, int device, const std::string& name) {
  if (points.size() > 0) std::visit([&](const auto& c) { check_memory(c.data(), device, name); }, points.coordinates);
}

void check_memory(const DeviceGroups& groups, int device) {
  std::visit(
      [&](const auto& numbers) {
        if (!numbers.empty()) check_memory(numbers.data(), device, "groups");
      },
      groups);
}

bool are_float32(const PointsView& points) {
  return std::holds_alternative<std::span<const float>>(points.coordinates);
}

/// The problem without queries that orders the data.
Problem problem_of(const problem::SurveyedData& data) {
  Problem p;
  p.dimensions = data.dimensions;
  p.data_count = data.count();
  p.grid = data.grid;
  p.unit = 1 / data.frame.scale;
  return p;
}

}  // namespace

struct DeviceIndex::State {
  /// While the device is current.
  State(const PointsView& data, const DeviceIndexOptions& options)
      : device(options.device), of_data(options.stream), d_given(data), surveyed{data.dimensions, options.data_name} {
    check_memory(data, device, options.data_name);
    if (options.groups) check_memory(*options.groups, device);
    // The caller's work on the data precedes all work on this stream
    Mark& complete = searches[of_data];
    set_on(of_data, device, complete);
    check(complete.precede(workspace->stream), "data on a stream");

    SampledSurvey found = survey_of(pool, workspace->mapped, {d_given, nullptr, d_given.size()}, options.groups);
    std::optional<exact::PointGroups> groups;
    if (options.groups) groups.emplace(*options.groups, found.groups);
    if (options.invalid == InvalidPoints::error) problem::refuse_invalid(found.survey, surveyed.name);
    if (found.survey.invalid > 0) {
      rows = valid_rows_of(pool, d_given, found.survey.valid);
      if (groups) groups->d_input_rows = rows.data();
      found = survey_of(pool, workspace->mapped, {d_given, rows.data(), found.survey.valid});
    }
    surveyed.survey = found.survey;
    sample = std::move(found.sample);
    surveyed.choose_frame_and_grid(sample);

    ResidentPoints points;
    if (are_float32(d_given) && surveyed.frame.is_identity() && surveyed.survey.invalid == 0) {
      points.d_points = std::get<std::span<const float>>(d_given.coordinates).data();
    } else {
      moved = in_frame(pool, valid_points(), surveyed.frame);
      points.d_points = moved.data();
      workspace->stream.synchronize();
    }
    order_problem = problem_of(surveyed);
    context.emplace(order_problem, *workspace, points, Buffer<float>(), Buffer<double>(), nullptr, nullptr);
    indexes.emplace(*context, mutex, groups);
  }

  /// Memory is released after the searches that use it. Where that is on the stream of the data, as for arrays of
  /// torch, the host need not wait.
  ~State() {
    for (const auto& [stream, last_search] : searches)
      static_cast<void>(stream == of_data ? last_search.precede(workspace->stream) : last_search.wait());
  }

  ValidPoints valid_points() const { return {d_given, rows.data(), surveyed.count()}; }

  /// The data, as they were given, too, if a problem needs that. Blocks.
  ResidentPoints bring(bool needs_given) {
    const std::lock_guard lock(mutex);
    ResidentPoints& points = context->data;
    if (needs_given && !points.d_given) {
      if (!are_float32(d_given) && surveyed.survey.invalid == 0) {
        points.d_given = std::get<std::span<const double>>(d_given.coordinates).data();
      } else {
        float64 = as_float64(pool, valid_points());
        points.d_given = float64.data();
        workspace->stream.synchronize();
      }
    }
    return {points.d_points, needs_given ? points.d_given : nullptr};
  }

  /// Whether a search is queued without waiting for anything. @param needs_given as bring()
  bool is_ready_for(bool needs_given) {
    const std::lock_guard lock(mutex);
    return needs_given ? context->data.d_given && indexes->wait<double>() : indexes->wait<float>();
  }

  /// As PreparedData::unevenness().
  double unevenness() {
    const std::lock_guard lock(mutex);
    if (!known_unevenness)
      known_unevenness = problem::unevenness(surveyed.survey.box, sample, surveyed.dimensions, surveyed.count());
    return *known_unevenness;
  }

  /// The mark after the last search on a stream. @throws Error bad_input: the stream is not one of the device.
  Mark& last_search_on(cudaStream_t stream) {
    const std::lock_guard lock(mutex);
    if (!searches.contains(stream)) {
      Mark before;
      set_on(stream, device, before);
    }
    return searches[stream];
  }

  const int device;
  const cudaStream_t of_data;  ///< the stream after whose work the data are complete
  const PointsView d_given;
  problem::SurveyedData surveyed;
  std::vector<double> sample;  ///< coordinates of some of the data, as survey_of() gives them
  const LentWorkspace workspace;
  Pool& pool = workspace->pool;
  std::mutex mutex;           ///< guards all members that follow, once the index is made
  Buffer<std::int32_t> rows;  ///< of the valid points, if some are not
  Buffer<float> moved;        ///< the valid points in the frame, if they are not there as they were given
  Buffer<double> float64;     ///< the valid points as they were given, if that is needed and `d_given` does not do
  Problem order_problem;      ///< describes the data
  std::optional<SearchContext> context;
  std::optional<exact::DataIndexes> indexes;
  std::optional<double> known_unevenness;
  std::map<cudaStream_t, Mark> searches;  ///< the last search on each stream
};

DeviceIndex::DeviceIndex(const PointsView& d_data, const DeviceIndexOptions& options) {
  on_device(options.device, [&] { state_ = std::make_unique<State>(d_data, options); });
}

DeviceIndex::~DeviceIndex() {
  try {
    on_device(state_->device, [&] { state_.reset(); });
  } catch (const std::exception&) {
    static_cast<void>(state_.release());  // without its device, its memory cannot be released
  }
}

const problem::SurveyedData& DeviceIndex::data() const { return state_->surveyed; }

void DeviceIndex::queue(Problem p, const DeviceQueries& queries) {
  State& s = *state_;
  const std::int64_t rows = queries.d_points.size();
  if (rows == 0 && !p.list_radius) return;
  on_device(s.device, [&] {
    if (!p.drop_self) check_memory(queries.d_points, s.device, "queries");
    const DeviceLists& lists = queries.lists;
    if (p.list_radius) check_memory(lists.begins, s.device, "results");
    if (!p.list_radius || lists.capacity > 0) {
      check_memory(p.list_radius ? lists.ids : queries.d_ids, s.device, "results");
      check_memory(p.list_radius ? lists.distances : queries.d_distances, s.device, "results");
    }
    if (queries.groups) check_memory(*queries.groups, s.device);
    Mark& last_search = s.last_search_on(queries.stream);
    const bool is_recorded = is_captured(queries.stream);
    const bool needs_given = s.surveyed.needs_given(p.drop_self || are_float32(queries.d_points));
    if (is_recorded && !s.is_ready_for(needs_given))
      throw Error(
          ErrorKind::usage,
          "the stream is recorded into a graph, which cannot wait for the order of the data; search once before");
    const ResidentPoints points = s.bring(needs_given);
    p.data = points.d_points;
    p.given_data = points.d_given;
    p.unevenness = [&s] { return s.unevenness(); };

    struct MarkAtEnd {  // also where an exception ends the call: some work may have been queued
      ~MarkAtEnd() {
        if (!is_recorded) static_cast<void>(mark.set(stream));
      }
      Mark& mark;
      cudaStream_t stream;
      bool is_recorded;
    };
    const MarkAtEnd mark{last_search, queries.stream, is_recorded};
    const DataOnDevice data{points, s.rows.data(), s.surveyed.frame, *s.indexes, s.workspace.memory()};
    if (!p.drop_self) return queue_search(p, data, queries);
    p.queries = p.data;
    p.given_queries = p.given_data;
    queue_search_self(p, data, queries, rows);
  });
}

}  // namespace kann::cuda
