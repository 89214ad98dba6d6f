// How good an approximate answer is, by its sample.
#pragma once

#include "problem/problem.hpp"

namespace kann::detail {

/// Compares the rows of the sampled queries with those of the exact search. @pre answer.sample_ids are those of
/// problem.sample.
Sample sample_recall(const problem::Problem& problem, const problem::Answer& answer);

}  // namespace kann::detail
