// Exact searches after an approximate one: for a sample of its queries, and to replace some of its rows.
#pragma once

#include "cuda/exact/data_indexes.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

// Each function also searches for Problem::sample, and writes the ids to context.sample_ids. All rows must have been
// written before, since their distances bound the searches. Queued and timed. `kept` are indexes of the data; it is
// null if the data are searched only once.

/// Replaces the rows of `count` queries, a small share of all. d_places: their places in the index, as in Search.
template <class Real>
void refine_few(SearchContext& context, const Index<Real>& index, const PointSequence& queries, std::int64_t count,
                const std::uint32_t* d_places);

/// Replaces the `count` rows that have a flag, as the exact method does: queries and data along the Hilbert curve.
/// Blocks until these are in order.
template <class Real>
void refine_many(SearchContext& context, const bool* d_by_row, std::int64_t count, DataIndexes* kept);

/// Replaces no row.
void refine_none(SearchContext& context, DataIndexes* kept = nullptr);

}  // namespace kann::cuda::exact
