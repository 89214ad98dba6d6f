// The valid points of a cloud: which points are valid, and their coordinates as a search needs them.
#pragma once

#include <cstdint>
#include <string>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/frame.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// Refuses a cloud that no search accepts by its dimensions or number of points. @throws Error usage, bad_input.
void check_count(const PointsView& points, const std::string& name);

/// The survey() of a cloud. @throws Error bad_input if it has invalid points and `invalid` is InvalidPoints::error.
Survey checked_survey(const PointsView& points, const std::string& name, InvalidPoints invalid, int threads);

/// @throws Error bad_input if the cloud has invalid points that no condition leaves out.
void refuse_invalid(const Survey& survey, const std::string& name);

/// The rows of the valid points; empty if all points are valid.
Array<std::int32_t> valid_rows(const PointsView& points, const Survey& survey);

/// The valid points in the frame: the input itself if nothing has to change, otherwise `storage`.
const float* to_frame(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, const Frame& frame,
                      int threads, Array<float>& storage);

/// The valid points in float64 as they were given: the input itself if possible, otherwise `storage`.
const double* to_float64(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, int threads,
                         Array<double>& storage);

}  // namespace kann::problem
