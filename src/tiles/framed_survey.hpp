// The frame and the grid of data that do not fit in memory: those that problem::PreparedData has of the same data.
#pragma once

#include <cstdint>
#include <vector>

#include "kann/search.hpp"

#include "comm/communicator.hpp"
#include "problem/frame.hpp"
#include "problem/survey.hpp"
#include "tiles/point_source.hpp"
#include "tiles/shifts/point_picker.hpp"

namespace kann::tiles {

struct FramedSurvey {
  problem::Survey survey;
  problem::FrameGrid in;
  std::vector<PickedPoint> sample;  ///< valid points, one of each of equal runs of rows, at no regular stride
};

/// Each rank reads its share of the points, twice if some of them are invalid; all have the same result. Blocks.
/// @param most points of the sample
/// @param block points that are read at a time
/// @throws Error bad_input (invalid points, if these are an error), and as PointSource::for_each_block() and
/// comm::Communicator::gather().
FramedSurvey survey_in_frame(const PointSource& data, InvalidPoints invalid, std::int64_t most, std::int64_t block,
                             int threads, comm::Communicator& ranks);

}  // namespace kann::tiles
