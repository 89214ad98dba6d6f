// Points that a caller has on the device: what a search must know of them, and their coordinates as it needs them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "kann/device_index.hpp"
#include "kann/points.hpp"

#include "cuda/runtime/buffer.hpp"
#include "cuda/runtime/mapped_memory.hpp"
#include "cuda/runtime/names.hpp"
#include "geometry/box.hpp"
#include "problem/frame.hpp"
#include "problem/survey.hpp"

namespace kann::cuda {

// All functions queue their work on the pool's stream.

/// The rows of the valid points, of which there are `valid`, ascending.
Buffer<std::int32_t> valid_rows_of(Pool& pool, const PointsView& d_points, std::int64_t valid);

/// The valid points of a cloud: `d_rows` has their rows; it is null if all points are valid.
struct ValidPoints {
  PointsView d_points;
  const std::int32_t* d_rows;
  std::int64_t count;
};

/// The least and the largest of some numbers; of none, the least is the larger.
struct NumberRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::max(), largest = std::numeric_limits<std::int64_t>::min();
};

/// What a search must know of a cloud.
struct SampledSurvey {
  problem::Survey survey;      ///< as problem::survey(), of all points
  std::vector<double> sample;  ///< row-major coordinates, as given, of the valid points at geometry::sample_row(); all
                               ///< are in the box of the cloud, even if they have changed meanwhile
  NumberRange groups;
};

/// Blocks, once. @param mapped of the same stream @param groups of all points
SampledSurvey survey_of(Pool& pool, MappedMemory& mapped, const ValidPoints& points,
                        const std::optional<DeviceGroups>& groups = {});

/// Row-major coordinates of the valid points, in the frame.
Buffer<float> in_frame(Pool& pool, const ValidPoints& points, const problem::Frame& frame);

/// Row-major coordinates of the valid points, as given.
Buffer<double> as_float64(Pool& pool, const ValidPoints& points);

}  // namespace kann::cuda
