// The valid points of a cloud: which they are, and in which coordinates a search takes them.
#pragma once

#include <cstdint>
#include <string>

#include "kann/array.hpp"
#include "kann/points.hpp"
#include "kann/search.hpp"

#include "problem/frame.hpp"
#include "problem/survey.hpp"

namespace kann::problem {

/// Refuses a cloud whose dimensions or number of points no search takes. @throws Error usage, bad_input.
void check_count(const PointsView& points, const std::string& name);

/// survey() of a cloud. @throws Error bad_input: it has invalid points, and these are an error.
Survey checked_survey(const PointsView& points, const std::string& name, InvalidPoints invalid, int threads);

/// @throws Error bad_input: the cloud has invalid points.
void refuse_invalid(const Survey& survey, const std::string& name);

/// The rows of the valid points; empty where all are.
Array<std::int32_t> valid_rows(const PointsView& points, const Survey& survey);

/// The valid points in the frame: the input itself where nothing has to change, otherwise `storage`.
const float* to_frame(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, const Frame& frame,
                      int threads, Array<float>& storage);

/// The valid points as they were given, likewise.
const double* to_float64(const PointsView& points, const Array<std::int32_t>& rows, std::int64_t count, int threads,
                         Array<double>& storage);

}  // namespace kann::problem
