// The exact search in cells, and whether a search is to be made in cells.
#pragma once

#include <optional>

#include "cuda/exact/cell_order.hpp"
#include "cuda/exact/query_queue.hpp"
#include "cuda/exact/search.hpp"
#include "cuda/exact/teams/row_ends.hpp"
#include "cuda/exact/teams/team_size.hpp"
#include "cuda/runtime/search_context.hpp"

namespace kann::cuda::exact {

class DataIndexes;

/// Cells for a search, of a size that suits data that fill their box evenly; the search in them is right for any data.
/// None if the box has no volume, float32 does not resolve the cells, or k exceeds k_max_cell_list or the number of
/// points.
std::optional<CellGrid> cells_over(const Problem& p);

/// As cells_over(), but only if the search in cells is likely to be faster than others: if lists are short, and the
/// data are many and fill their box evenly, as far as a sample tells.
std::optional<CellGrid> plan_cells(const Problem& p);

/// How queries are searched for at first: in teams, of which those with more than CellGrid::staged points are left, or
/// stage them in turns; one by one; or not in cells.
enum class FirstSearch { in_teams, in_large_teams, singly, not_in_cells };

/// Writes the rows of all queries, as run_exact(), or returns false if that would take longer than another search, as
/// far as a sample of the queries tells, or the number of those that it leaves. Timed; blocks.
/// @param grid the result of cells_over() @param kept indexes of the data; may be null
/// @param first how to begin, instead of what the sample says: then it always writes them
template <class Real>
bool search_cells(SearchContext& context, const CellGrid& grid, DataIndexes* kept,
                  std::optional<FirstSearch> first = {});

// In the following, queues have the numbers of queries among the points of search.queries.source.

/// Searches for all queries in teams of 32. Rows that a ball of the grid's radius does not prove are wrong, and their
/// queries are added to `left`; unless teams may be large, those of teams with more than CellGrid::staged points,
/// too. If these are many, it leaves all others. Queued on the stream.
template <class Real>
void search_teams(const Search<Real>& search, const Cells& cells, bool may_be_large, const ResultRows& rows,
                  const RowEnds& ends, const QueryQueue& left, cudaStream_t stream);

/// Searches for the queries of `from` one by one, in balls that are larger than those of the teams that have left
/// them; or for all queries, if `from` has no count. Queries that no ball decides are added to `left`, or all, if they
/// are many. Queued on the stream.
template <class Real>
void search_singly(const Search<Real>& search, const Cells& cells, const ResultRows& rows, const QueryQueue& from,
                   const QueryQueue& left, cudaStream_t stream);

}  // namespace kann::cuda::exact
