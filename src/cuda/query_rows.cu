#include <variant>

#include "kann/neighbors.hpp"

#include "cuda/query_rows.hpp"
#include "cuda/runtime/launch.cuh"
#include "geometry/frame.hpp"
#include "geometry/within_radius.hpp"

namespace kann::cuda {
namespace {

/// Below this limit, the squares of differences of coordinates are finite in float64.
constexpr double k_coordinate_limit = 0x1p509;

struct Origin {
  double values[3];
};

/// One thread per query. d_given: null, or the queries as they were given.
template <class T>
__global__ void bring_to_frame_kernel(const T* d_from, std::int64_t count, int dimensions, Origin origin, double scale,
                                      float* d_points, double* d_given, bool* d_are_valid) {
  for (std::int64_t i = first_element(); i < count; i += element_stride()) {
    bool is_valid = true;  // becomes false for NaN, too
    for (int a = 0; a < dimensions; ++a)
      is_valid &= fabs(static_cast<double>(d_from[i * dimensions + a])) < k_coordinate_limit;
    for (int a = 0; a < dimensions; ++a) {
      const std::int64_t place = i * dimensions + a;
      const double x = is_valid ? static_cast<double>(d_from[place]) : origin.values[a];
      d_points[place] = to_frame(x, origin.values[a], scale);
      if (d_given) d_given[place] = x;
    }
    d_are_valid[i] = is_valid;
  }
}

/// One thread per neighbour.
__global__ void finish_rows_kernel(ResultRows rows, std::int64_t count, const bool* d_are_valid,
                                   const std::int32_t* d_data_rows) {
  for (std::int64_t e = first_element(); e < count; e += element_stride()) {
    const std::int32_t id = rows.d_ids[e];
    if (!d_are_valid[e / rows.k]) {
      rows.d_ids[e] = k_missing_id;
      rows.d_distances[e] = INFINITY;
    } else if (d_data_rows && id != k_missing_id) {
      rows.d_ids[e] = d_data_rows[id];
    }
  }
}

/// One thread per neighbour of a row of the input.
__global__ void fill_missing_kernel(ResultRows rows, std::int64_t count) {
  for (std::int64_t e = first_element(); e < count; e += element_stride()) {
    rows.d_ids[e] = k_missing_id;
    rows.d_distances[e] = INFINITY;
  }
}

/// One thread per neighbour of a valid point.
__global__ void spread_rows_kernel(ResultRows rows, std::int64_t count, const std::int32_t* d_data_rows,
                                   ResultRows wanted) {
  for (std::int64_t e = first_element(); e < count; e += element_stride()) {
    const std::int64_t to = d_data_rows[e / rows.k] * rows.k + e % rows.k;
    const std::int32_t id = rows.d_ids[e];
    wanted.d_ids[to] = id == k_missing_id ? id : d_data_rows[id];
    wanted.d_distances[to] = rows.d_distances[e];
  }
}

/// One thread per row.
template <class T>
__global__ void keep_within_kernel(ResultRows rows, std::int64_t queries, WithinRadius within, double surely_within,
                                   double surely_beyond, int dimensions, const T* d_data, const T* d_queries) {
  const std::int64_t row = first_element();
  if (row >= queries) return;
  std::int32_t* const d_ids = rows.d_ids + row * rows.k;
  float* const d_distances = rows.d_distances + row * rows.k;
  std::int64_t kept = 0;
  for (std::int64_t j = 0; j < rows.k && d_ids[j] != k_missing_id; ++j) {
    if (d_distances[j] > surely_beyond) break;  // the distances that follow are not smaller
    if (!(d_distances[j] < surely_within)) {
      double difference[3] = {};
      for (int a = 0; a < dimensions; ++a)
        difference[a] = static_cast<double>(d_queries[row * dimensions + a]) -
                        static_cast<double>(d_data[std::int64_t{d_ids[j]} * dimensions + a]);
      if (!within(difference[0], difference[1], difference[2])) continue;
    }
    d_ids[kept] = d_ids[j];
    d_distances[kept++] = d_distances[j];
  }
  for (; kept < rows.k; ++kept) {
    d_ids[kept] = k_missing_id;
    d_distances[kept] = INFINITY;
  }
}

/// One thread per row of the input, and one for the end.
__global__ void spread_begins_kernel(const std::int64_t* d_begins, std::int64_t count, const std::int32_t* d_data_rows,
                                     std::int64_t* d_wanted, std::int64_t wanted_count) {
  const std::int64_t row = first_element();
  if (row > wanted_count) return;
  std::int64_t low = 0, high = count;  // the number of valid points before the row
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    d_data_rows[middle] < row ? low = middle + 1 : high = middle;
  }
  d_wanted[row] = d_begins[low];
}

/// One thread per valid point, and one for the end.
__global__ void gather_begins_kernel(const std::int64_t* d_wanted, std::int64_t wanted_count,
                                     const std::int32_t* d_data_rows, std::int64_t* d_begins, std::int64_t count) {
  const std::int64_t i = first_element();
  if (i <= count) d_begins[i] = d_wanted[i < count ? d_data_rows[i] : wanted_count];
}

}  // namespace

QueriesInFrame::QueriesInFrame(Pool& pool, const PointsView& from, const problem::Frame& frame, bool keeps_given)
    : points(pool, from.size() * from.dimensions),
      given(pool, keeps_given ? from.size() * from.dimensions : 0),
      are_valid(pool, from.size()) {
  Origin origin{};
  for (int a = 0; a < from.dimensions; ++a) origin.values[a] = frame.origin[static_cast<std::size_t>(a)];
  std::visit(
      [&](const auto& coordinates) {
        bring_to_frame_kernel<<<blocks_for(from.size()), k_block_threads, 0, pool.stream()>>>(
            coordinates.data(), from.size(), from.dimensions, origin, frame.scale, points.data(), given.data(),
            are_valid.data());
      },
      from.coordinates);
  check_launch("queries on the device");
}

void finish_rows(const ResultRows& rows, std::int64_t queries, const bool* d_are_valid, const std::int32_t* d_data_rows,
                 cudaStream_t stream) {
  const std::int64_t count = queries * rows.k;
  finish_rows_kernel<<<blocks_for(count), k_block_threads, 0, stream>>>(rows, count, d_are_valid, d_data_rows);
  check_launch("rows on the device");
}

void spread_rows(const ResultRows& rows, std::int64_t count, const std::int32_t* d_data_rows, const ResultRows& wanted,
                 std::int64_t wanted_count, cudaStream_t stream) {
  const std::int64_t wanted_values = wanted_count * wanted.k, values = count * rows.k;
  fill_missing_kernel<<<blocks_for(wanted_values), k_block_threads, 0, stream>>>(wanted, wanted_values);
  check_launch("missing rows");
  spread_rows_kernel<<<blocks_for(values), k_block_threads, 0, stream>>>(rows, values, d_data_rows, wanted);
  check_launch("rows of valid points");
}

template <class T>
void keep_within(const ResultRows& rows, std::int64_t queries, double radius, int dimensions, const T* d_data,
                 const T* d_queries, cudaStream_t stream) {
  const geometry::DecidedDistances decided(radius);
  keep_within_kernel<<<blocks_for(queries), k_block_threads, 0, stream>>>(
      rows, queries, WithinRadius(radius), decided.within, decided.beyond, dimensions, d_data, d_queries);
  check_launch("rows within the radius");
}

template void keep_within(const ResultRows&, std::int64_t, double, int, const float*, const float*, cudaStream_t);
template void keep_within(const ResultRows&, std::int64_t, double, int, const double*, const double*, cudaStream_t);

void spread_begins(const std::int64_t* d_begins, std::int64_t count, const std::int32_t* d_data_rows,
                   std::int64_t* d_wanted, std::int64_t wanted_count, cudaStream_t stream) {
  spread_begins_kernel<<<blocks_for(wanted_count + 1), k_block_threads, 0, stream>>>(d_begins, count, d_data_rows,
                                                                                     d_wanted, wanted_count);
  check_launch("begins of rows");
}

void gather_begins(const std::int64_t* d_wanted, std::int64_t wanted_count, const std::int32_t* d_data_rows,
                   std::int64_t* d_begins, std::int64_t count, cudaStream_t stream) {
  gather_begins_kernel<<<blocks_for(count + 1), k_block_threads, 0, stream>>>(d_wanted, wanted_count, d_data_rows,
                                                                              d_begins, count);
  check_launch("begins of rows of valid points");
}

}  // namespace kann::cuda
