// The searches that take on what the search of short lists leaves.
#pragma once

#include "cuda/exact/query_queue.cuh"
#include "cuda/exact/search.hpp"

namespace kann::cuda::exact {

/// Searches for the undecided queries where float32 distances are exact; the others are added to `single`, and so are
/// few queries.
void search_lattices(Pool& pool, const Search<float>& search, const ResultRows& rows, const Remaining& remaining);

/// Searches for the single queries.
template <class Real>
void search_queued(Pool& pool, const Search<Real>& search, const ResultRows& rows, const Remaining& remaining);

}  // namespace kann::cuda::exact
