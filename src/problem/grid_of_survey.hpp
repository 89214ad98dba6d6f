// The grid of kann/query_grid.hpp over a cloud of which only a survey is in memory.
#pragma once

#include "kann/query_grid.hpp"

#include "problem/survey.hpp"

namespace kann::problem {

/// @throws Error usage: no step of a grid, as kann::grid_over() says.
void check_step(double step);

/// kann::grid_over() the points of the survey. @throws as that.
QueryGrid grid_over(const Survey& survey, int dimensions, double step);

}  // namespace kann::problem
