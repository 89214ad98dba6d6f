// How good an approximate answer is, measured on its sample.
#pragma once

#include <optional>

#include "problem/problem.hpp"

namespace kann::detail {

/// Compares the rows of the sampled queries with those of the exact search. With a radius, keep_within() must have been
/// applied to the rows of the answer. @pre answer.sample_ids are the exact rows of problem.sample.
Sample sample_recall(const problem::Problem& problem, const problem::Answer& answer, std::optional<double> radius);

}  // namespace kann::detail
