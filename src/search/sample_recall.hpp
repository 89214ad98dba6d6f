// How good an approximate answer is, by its sample.
#pragma once

#include <optional>

#include "problem/problem.hpp"

namespace kann::detail {

/// Compares the rows of the sampled queries with those of the exact search. With a radius, the rows of the answer are
/// those that keep_within() has left. @pre answer.sample_ids are those of problem.sample.
Sample sample_recall(const problem::Problem& problem, const problem::Answer& answer, std::optional<double> radius);

}  // namespace kann::detail
