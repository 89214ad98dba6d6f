// Rows that are found in parts, by whatever rank, until they are put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "flow/rows/tile_rows.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {

class RowParts {
 public:
  /// @param queries how many there are, by whose numbers rows are known
  /// @param block_rows how many rows are looked at together elsewhere: fewer are put together at a time, since a row
  /// may
  ///        have many parts @param memory is charged with what the parts take
  RowParts(Communicator& ranks, const std::string& folder, std::int64_t queries, std::int64_t k,
           std::int64_t block_rows, int threads, base::MemoryBudget* memory = nullptr);

  /// Bytes of memory for `queries` rows on this rank, while up to `added` parts are added at a time.
  static double bytes(double queries, double block_rows, double k, double added, int ranks, int threads);

  /// Bytes of memory while parts are put together: a row may have 27, in records that are read and sorted by query.
  static double together_bytes(double block_rows, double k);

  /// Adds part i of a row, of k neighbours for query queries[i], if chosen[i] is not 0. @throws Error resources.
  void add(std::span<const std::int64_t> queries, std::span<const TileNeighbor> rows,
           std::span<const std::uint8_t> chosen);

  /// Calls f(queries, rows) for each query that has parts, on one of the ranks: with the first k of the neighbours in
  /// its parts, each with the smallest distance that a part has for it. All ranks call it, once, when they have no more
  /// to add; it blocks.
  /// @throws as RecordExchange::deliver(), and what f throws.
  void put_together(
      const std::function<void(std::span<const std::int64_t> queries, std::span<const TileNeighbor> rows)>& f);

  std::uint64_t sent_bytes() const { return exchange_->sent_bytes(); }
  std::uint64_t file_bytes() const { return spool_->file_bytes() + exchange_->file_bytes(); }

 private:
  static double joined_bytes(double parts, double rows, double k);
  std::size_t record_bytes() const;
  std::int64_t blocks() const { return (queries_ + block_rows_ - 1) / block_rows_; }
  std::int64_t first_block(int rank) const;

  Communicator& ranks_;
  const std::int64_t queries_, k_, block_rows_;
  const int threads_;
  base::MemoryBudget* const memory_;
  std::unique_ptr<formats::Spool> spool_;  // by the blocks of this rank
  std::unique_ptr<RecordExchange> exchange_;
  RecordBatch batch_;  // by blocks
};

}  // namespace kann::flow
