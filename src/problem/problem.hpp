// One search in the form that both backends take: checked, in float32, with all parameters chosen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "kann/neighbors.hpp"
#include "kann/radius.hpp"
#include "kann/search.hpp"

#include "geometry/box.hpp"
#include "geometry/grid.hpp"

namespace kann::problem {

/// Who takes the rows of a search that a CUDA device makes, so that those of all queries are in its memory alone.
struct RowParts {
  std::int64_t at_once = 0;  ///< rows in a part, at most

  /// Takes the rows of consecutive queries, from number `first` on, part by part in their order, and may change them.
  /// One call at a time, on any thread; the next part arrives meanwhile. Empty: the rows go elsewhere.
  std::function<void(std::int64_t first, Neighbors& rows)> take = nullptr;
};

/// The answer is a pure function of these fields, except `threads`, `on_progress` and `parts`. Coordinates
/// are row-major and finite.
struct Problem {
  int dimensions = 3;
  const float* data = nullptr;  ///< data_count × dimensions, in the frame
  std::int64_t data_count = 0;
  const float* queries = nullptr;  ///< query_count × dimensions, in the frame; equal to `data` in a self-query
  std::int64_t query_count = 0;
  /// The coordinates as they were given, in the same shapes, if they differ from those in `data` or `queries`; else
  /// null.
  const double* given_data = nullptr;
  const double* given_queries = nullptr;
  bool drop_self = false;        ///< query i is data point first_query + i, and no neighbour of itself
  std::int64_t first_query = 0;  ///< the data point of query 0, in a part of a self-query

  /// Set in a search for all neighbours within this radius (kann/radius.hpp), which is exact and does not use `k`.
  std::optional<double> list_radius;
  std::int64_t most_listed = 0;  ///< with list_radius: if the rows have more neighbours, these are only counted

  std::int64_t k = 0;
  Method method = Method::exact;
  int shifts = 0;  ///< of an approximate method, as is the next
  std::int64_t window = 0;
  geometry::Grid grid;
  geometry::Box box;                   ///< around the data, in the frame
  std::function<double()> unevenness;  ///< PreparedData::unevenness() of the data
  double unit = 1;                     ///< a length of 1 in the frame is this long in the input's unit; a power of two

  int threads = 1;
  std::function<void(std::string_view, double)> on_progress;
  RowParts parts;  ///< with `take`, Answer::neighbors has no rows; not on the CPU

  /// The number of neighbours that a query can have.
  std::int64_t list_size() const { return std::min(k, data_count); }

  bool self_query() const { return queries == data && query_count == data_count; }

  /// Whether the queries are some of the data points, but not all, and no neighbours of themselves: each then has a
  /// place among the data.
  bool is_part_of_self_query() const { return drop_self && !self_query(); }

  /// Whether the queries are the data points from first_query on, in the same memory.
  bool queries_are_data() const {
    return query_count > 0 && first_query + query_count <= data_count && queries == data + first_query * dimensions;
  }

  /// Whether coordinates in the frame are rounded or scaled.
  bool is_rounded() const { return given_data != nullptr; }

  void progress(std::string_view step, double fraction) const {
    if (on_progress) on_progress(step, fraction);
  }
};

/// The result of a backend.
struct Answer {
  Neighbors neighbors;  ///< empty if the rows went to Problem::parts
  NeighborLists lists;  ///< with Problem::list_radius, instead
  DeviceInfo device;
  StepSeconds steps;
  std::int64_t device_peak_bytes = 0;
};

}  // namespace kann::problem
