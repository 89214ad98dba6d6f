// The search of queries that do not fit in memory in data that do: in pieces, in the order of the queries.
#pragma once

#include <cstdint>
#include <functional>

#include "kann/neighbors.hpp"

#include "flow/file_search_report.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/routes/file_search_options.hpp"
#include "flow/sources/point_source.hpp"
#include "flow/tile_memory.hpp"

namespace kann::flow {

/// Bytes of memory of a search in pieces, beside ResultStore: the data, their order, a piece while the next is read,
/// and two results or parts of them, since one is taken while the next is made.
double in_pieces_bytes(const SearchShape& shape, const FileSearchSizes& sizes);

/// Takes the rows of queries from number `first` on, in the order of the queries; on a thread of its own.
using TakePiece = std::function<void(std::int64_t first, const Neighbors& rows)>;

/// Searches the data for the k nearest neighbours of each query, FileSearchSizes::piece_queries at a time. Rows,
/// warnings and errors are those of kann::search(). While a piece is searched, the next is read, and the rows of the
/// one before are taken; if a GPU has the rows of a piece, they are taken in parts, FileSearchSizes::part_rows at a
/// time. The data have at most 2³¹ − 1 points. Blocks.
/// @param queries null: a self-query, which is exact and not on the sphere
/// @throws as kann::search(), and what `take` throws.
FileSearchReport in_pieces(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                           const TakePiece& take);

/// The same with the rows kept. `alone`, of this process, must outlive the answer.
FileSearchResult in_kept_pieces(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                                Communicator& alone);

}  // namespace kann::flow
