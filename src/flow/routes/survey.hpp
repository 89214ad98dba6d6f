// What is known of the data before they are divided into tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/curve.hpp"
#include "flow/routes/runs.hpp"
#include "flow/sources/point_source.hpp"
#include "geometry/box.hpp"

namespace kann::flow {

struct CloudSurvey {
  geometry::Box box;  ///< the box of the finite points
  std::int64_t valid = 0, invalid = 0, first_invalid = -1;
  std::vector<double> sample;  ///< row-major coordinates of finite points, one of each of equal runs
};

/// Bytes of memory of the sample where a rank has so many points: as it is found, and that of all ranks as it arrives
/// and put together.
double sample_bytes(double points, int dimensions, int ranks);

/// Each rank reads its share of the points once, `most` at a time; all have the same result. Blocks.
/// @param memory is charged with the sample while it is made
/// @throws as PointSource::for_each_block() and Communicator::gather().
CloudSurvey survey(const PointSource& cloud, std::int64_t most, int threads, Communicator& ranks,
                   base::MemoryBudget* memory = nullptr);

/// `runs` runs with about as many points each, by the sample; fewer where many points share a place.
Runs divide(const CloudSurvey& data, const Curve& curve, int dimensions, std::int64_t runs);

}  // namespace kann::flow
