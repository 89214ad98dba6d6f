#include <algorithm>
#include <cstdint>
#include <cstring>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <limits>
#include <span>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <type_traits>
#include <variant>

#include "cuda/order/device_points.hpp"
#include "cuda/runtime/launch.cuh"
#include "geometry/frame.hpp"

namespace kann::cuda {
namespace {

// ---- Survey ---------------------------------------------------------------------------------------------------------

/// As problem::Survey, of one point or more, in the type of the coordinates. No byte is padding, which would be copied
/// without having been written.
template <class T>
struct Extent {
  T lo[3], hi[3];
  std::int64_t valid;
  std::int64_t first_invalid;  ///< 2³¹ − 1 if there is none: rows are less
  std::int64_t exact;          ///< 0 or 1
};

template <class T>
Extent<T> empty_extent() {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return {{infinity, infinity, infinity},
          {-infinity, -infinity, -infinity},
          0,
          std::numeric_limits<std::int32_t>::max(),
          1};
}

struct Join {
  template <class T>
  __host__ __device__ Extent<T> operator()(const Extent<T>& a, const Extent<T>& b) const {
    Extent<T> both;
    for (int axis = 0; axis < 3; ++axis) {
      both.lo[axis] = a.lo[axis] < b.lo[axis] ? a.lo[axis] : b.lo[axis];
      both.hi[axis] = a.hi[axis] > b.hi[axis] ? a.hi[axis] : b.hi[axis];
    }
    both.valid = a.valid + b.valid;
    both.first_invalid = a.first_invalid < b.first_invalid ? a.first_invalid : b.first_invalid;
    both.exact = a.exact & b.exact;
    return both;
  }
};

struct JoinRanges {
  __host__ __device__ NumberRange operator()(const NumberRange& a, const NumberRange& b) const {
    return {a.least < b.least ? a.least : b.least, a.largest > b.largest ? a.largest : b.largest};
  }
};

struct AsRange {
  __host__ __device__ NumberRange operator()(std::int64_t number) const { return {number, number}; }
};

/// Whether all coordinates of point i are finite.
template <class T>
struct IsValid {
  const T* d_points;
  int dimensions;

  __device__ bool operator()(std::int32_t i) const {
    bool finite = true;
    for (int a = 0; a < dimensions; ++a)
      finite &= static_cast<bool>(isfinite(d_points[std::int64_t{i} * dimensions + a]));
    return finite;
  }
};

/// The extent of point i. The axes that it does not have are 0.
template <class T>
struct ExtentAt {
  IsValid<T> is_valid;
  Extent<T> empty;

  __device__ Extent<T> operator()(std::int32_t i) const {
    Extent<T> extent = empty;
    if (!is_valid(i)) {
      extent.first_invalid = i;
      return extent;
    }
    extent.valid = 1;
    for (int a = 0; a < 3; ++a) {
      const T x = a < is_valid.dimensions ? is_valid.d_points[std::int64_t{i} * is_valid.dimensions + a] : T(0);
      extent.lo[a] = extent.hi[a] = x;
      constexpr T largest = 0x1.fffffep127;  // the largest finite float32
      extent.exact &= fabs(x) <= largest && static_cast<T>(static_cast<float>(x)) == x;
    }
    return extent;
  }
};

/// Calls a CUB function, once for the size of its temporary memory and once with that memory.
template <class F>
void with_storage(Pool& pool, const char* name, F call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), name);
  const Buffer<std::byte> storage(pool, static_cast<std::int64_t>(bytes));
  check(call(storage.data(), bytes), name);
}

/// Queues the extent of `count` points.
template <class T>
void queue_extent(Pool& pool, const T* d_points, int dimensions, std::int64_t count, Extent<T>* d_extent) {
  const Extent<T> empty = empty_extent<T>();
  const auto extents = thrust::make_transform_iterator(thrust::counting_iterator<std::int32_t>(0),
                                                       ExtentAt<T>{{d_points, dimensions}, empty});
  with_storage(pool, "DeviceReduce::Reduce", [&](void* d_storage, std::size_t& bytes) {
    return cub::DeviceReduce::Reduce(d_storage, bytes, extents, d_extent, count, Join(), empty, pool.stream());
  });
}

/// Queues the range of the numbers of groups.
void queue_range(Pool& pool, const DeviceGroups& groups, NumberRange* d_range) {
  std::visit(
      [&](const auto& numbers) {
        const auto ranges = thrust::make_transform_iterator(numbers.data(), AsRange());
        with_storage(pool, "DeviceReduce::Reduce", [&](void* d_storage, std::size_t& bytes) {
          return cub::DeviceReduce::Reduce(d_storage, bytes, ranges, d_range, static_cast<std::int64_t>(numbers.size()),
                                           JoinRanges(), NumberRange(), pool.stream());
        });
      },
      groups);
}

// ---- Coordinates ----------------------------------------------------------------------------------------------------

/// The row of a valid point.
struct RowAt {
  const std::int32_t* d_rows;  // null: all are valid

  __device__ std::int64_t operator()(std::int64_t i) const { return d_rows ? d_rows[i] : i; }
};

/// The row of a point of the sample.
struct SampledRowAt {
  RowAt row_at;
  std::int64_t count;

  __device__ std::int64_t operator()(std::int64_t i) const { return row_at(sample_row(i, count)); }
};

struct InFrame {
  double origin[3], scale;
  __device__ float operator()(double x, int axis) const { return to_frame(x, origin[axis], scale); }
};

struct AsGiven {
  __device__ double operator()(double x, int) const { return x; }
};

/// One thread per coordinate.
template <class From, class To, class Row, class Convert>
__global__ void copy_points_kernel(const From* d_from, Row row_at, std::int64_t count, int dimensions, Convert convert,
                                   To* d_to) {
  for (std::int64_t i = first_element(); i < count * dimensions; i += element_stride()) {
    const int axis = static_cast<int>(i % dimensions);
    d_to[i] = convert(static_cast<double>(d_from[row_at(i / dimensions) * dimensions + axis]), axis);
  }
}

template <class To, class Row, class Convert>
void copy_points(const PointsView& from, const Row& row_at, std::int64_t count, Convert convert, To* d_to,
                 cudaStream_t stream) {
  if (count == 0) return;
  std::visit(
      [&](const auto& c) {
        copy_points_kernel<<<blocks_for(count * from.dimensions), k_block_threads, 0, stream>>>(
            c.data(), row_at, count, from.dimensions, convert, d_to);
      },
      from.coordinates);
  check_launch("points on the device");
}

/// All valid points.
template <class To, class Convert>
Buffer<To> copied(Pool& pool, const ValidPoints& points, Convert convert) {
  Buffer<To> to(pool, points.count * points.d_points.dimensions);
  copy_points(points.d_points, RowAt{points.d_rows}, points.count, convert, to.data(), pool.stream());
  return to;
}

// ---- Both -----------------------------------------------------------------------------------------------------------

template <class T>
problem::Survey survey_in(const Extent<T>& extent, std::int64_t points) {
  problem::Survey survey;
  survey.valid = extent.valid;
  survey.invalid = points - extent.valid;
  survey.exact = extent.exact != 0;
  if (survey.invalid > 0) survey.first_invalid = extent.first_invalid;
  if (survey.valid == 0) return survey;
  std::copy_n(extent.lo, 3, survey.box.lo.begin());
  std::copy_n(extent.hi, 3, survey.box.hi.begin());
  return survey;
}

/// As survey_of(), of the coordinates of the points.
template <class T>
SampledSurvey sampled_survey(Pool& pool, MappedMemory& mapped, const ValidPoints& points, std::span<const T> from,
                             const std::optional<DeviceGroups>& groups) {
  const PointsView& cloud = points.d_points;
  struct Found {
    Extent<T> extent;
    NumberRange groups;
  };
  constexpr std::int64_t found_size = sizeof(Found) / sizeof(double);
  static_assert((found_size + 3 * sample_size(INT64_MAX)) * sizeof(double) <= MappedMemory::k_bytes);
  const std::int64_t size = sample_size(points.count), values = found_size + size * cloud.dimensions;
  // What is found, and after it the sample, in mapped memory: a copy would take 20 µs
  auto* const d_mapped = static_cast<double*>(mapped.device());
  const Buffer<double> own(pool, d_mapped ? 0 : values);
  double* const d_found = d_mapped ? d_mapped : own.data();
  auto* const d_first = reinterpret_cast<Found*>(d_found);
  queue_extent(pool, from.data(), cloud.dimensions, cloud.size(), &d_first->extent);
  if (groups) queue_range(pool, *groups, &d_first->groups);
  copy_points(cloud, SampledRowAt{{points.d_rows}, points.count}, size, AsGiven(), d_found + found_size, pool.stream());
  std::vector<double> copied(static_cast<std::size_t>(own.size()));
  if (!d_mapped)
    check(cudaMemcpyAsync(copied.data(), own.data(), copied.size() * sizeof(double), cudaMemcpyDeviceToHost,
                          pool.stream()),
          "survey");
  check(cudaStreamSynchronize(pool.stream()), "survey");
  const double* const host = d_mapped ? static_cast<const double*>(mapped.host()) : copied.data();
  Found found;
  std::memcpy(&found, host, sizeof found);
  SampledSurvey all{survey_in(found.extent, cloud.size()), {host + found_size, host + values}, {}};
  if (groups) all.groups = found.groups;
  const geometry::Box& box = all.survey.box;
  for (std::int64_t i = 0; i < size; ++i)
    for (int a = 0; a < cloud.dimensions; ++a) {
      double& x = all.sample[i * cloud.dimensions + a];
      if (!(x >= box.lo[a] && x <= box.hi[a])) x = box.lo[a];
    }
  return all;
}

}  // namespace

Buffer<std::int32_t> valid_rows_of(Pool& pool, const PointsView& d_points, std::int64_t valid) {
  Buffer<std::int32_t> rows(pool, valid);
  const Buffer<std::int32_t> selected(pool, 1);
  std::visit(
      [&](const auto& c) {
        const IsValid<std::remove_cv_t<std::remove_pointer_t<decltype(c.data())>>> is_valid{c.data(),
                                                                                            d_points.dimensions};
        with_storage(pool, "DeviceSelect::If", [&](void* d_storage, std::size_t& bytes) {
          return cub::DeviceSelect::If(d_storage, bytes, thrust::counting_iterator<std::int32_t>(0), rows.data(),
                                       selected.data(), d_points.size(), is_valid, pool.stream());
        });
      },
      d_points.coordinates);
  return rows;
}

SampledSurvey survey_of(Pool& pool, MappedMemory& mapped, const ValidPoints& points,
                        const std::optional<DeviceGroups>& groups) {
  return std::visit([&](const auto& c) { return sampled_survey(pool, mapped, points, c, groups); },
                    points.d_points.coordinates);
}

Buffer<float> in_frame(Pool& pool, const ValidPoints& points, const problem::Frame& frame) {
  const auto& [x, y, z] = frame.origin;
  return copied<float>(pool, points, InFrame{{x, y, z}, frame.scale});
}

Buffer<double> as_float64(Pool& pool, const ValidPoints& points) { return copied<double>(pool, points, AsGiven()); }

}  // namespace kann::cuda
