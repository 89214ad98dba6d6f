// One search as both backends take it: checked, in float32, with all parameters chosen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string_view>

#include "kann/neighbors.hpp"
#include "kann/search.hpp"

#include "geometry/grid.hpp"
#include "geometry/window.hpp"

namespace kann::problem {

/// The answer is a pure function of these fields, except `threads` and `on_progress`. Coordinates are row-major and
/// finite.
struct Problem {
  int dimensions = 3;
  const float* data = nullptr;  ///< data_count × dimensions, in the frame
  std::int64_t data_count = 0;
  const float* queries = nullptr;  ///< query_count × dimensions, in the frame; equal to `data` in a self-query
  std::int64_t query_count = 0;
  /// The coordinates as they were given, of the same shapes, if `data` or `queries` are not these numbers; else null.
  const double* given_data = nullptr;
  const double* given_queries = nullptr;
  bool drop_self = false;  ///< query i is data point i, and not its own neighbour

  std::int64_t k = 0;
  Method method = Method::shifted_sort;
  int shifts = 0;  ///< this and the next three: shifted sort only
  std::int64_t window = 0;
  std::int64_t far_window = 0;  ///< of far queries; at least `window`
  int bits = 0;
  Pipeline pipeline = Pipeline::fused;
  geometry::Grid grid;
  double unit = 1;  ///< a length of 1 in the frame, as it was given: a power of two

  int threads = 1;
  std::function<void(std::string_view, double)> on_progress;

  /// Whether far queries have a wider window than the others.
  bool widens() const { return far_window > window; }

  /// The number of neighbours that a query can have.
  std::int64_t list_size() const { return std::min(k, data_count); }

  bool self_query() const { return queries == data && query_count == data_count; }

  /// Whether coordinates in the frame are rounded or scaled.
  bool is_rounded() const { return given_data != nullptr; }
  void progress(std::string_view step, double fraction) const {
    if (on_progress) on_progress(step, fraction);
  }
};

/// The result of a backend.
struct Answer {
  Neighbors neighbors;
  DeviceInfo device;
  StepSeconds steps;
  std::int64_t device_peak_bytes = 0;
};

}  // namespace kann::problem
