// Exact rows beside, and in place of, those of an approximate search.
#pragma once

#include "cuda/exact/data_indexes.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

// Each searches for Problem::sample, too, whose ids become context.sample_ids. All rows must be written; their
// distances bound searches. Queued and timed. `kept` are indexes of the data; null: they are searched once.

/// Replaces the rows of `count` queries, some of many, whose places in the index are d_places (as in Search).
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
