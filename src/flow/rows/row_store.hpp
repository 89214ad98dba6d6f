// Finished rows, which come in any order, in temporary files.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "kann/array.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "formats/files/spool.hpp"
#include "search/rows/candidates.hpp"
#include "search/warnings.hpp"

namespace kann::flow {

/// Receives consecutive rows of the result, from that of query number `first` on.
using RowSink = std::function<void(const Rows&)>;

/// Counts over finished rows.
struct RowCounts {
  std::int64_t neighbors = 0;
  std::int64_t full_rows = 0;     ///< that have k neighbours
  std::int64_t past_float32 = 0;  ///< neighbours whose distance is written as infinite
  double most_sq_dist = 0;        ///< of all neighbours

  void add(std::span<const detail::Candidate> row);
  void add(const RowCounts& other);
};

/// Each rank keeps a share of the rows, whichever rank has found them.
class RowStore {
 public:
  /// For `queries` rows of k neighbours. They are read back in blocks of `block_rows`, which bounds the memory.
  /// @param has_wide_ids whether some ids do not fit into int32
  /// @param chunk as for formats::Spool
  /// @param memory is charged with what the store takes, and must outlive it
  /// @param sky FileSearchOptions::sky
  RowStore(Communicator& ranks, const std::string& folder, std::int64_t queries, std::int64_t k,
           std::int64_t block_rows, bool has_wide_ids, std::size_t chunk, int threads,
           base::MemoryBudget* memory = nullptr, std::optional<AngleUnit> sky = {});

  /// How many rows a block has, `most` at most, where all ranks together have `queries`. Several ranks have many blocks
  /// each, so that their shares are about equal.
  static std::int64_t rows_of_block(std::int64_t queries, std::int64_t most, int ranks);

  /// Bytes of a row as a record: the place of the query in its block, the ids and the distances.
  static double row_bytes(double k, bool has_wide_ids) {
    return sizeof(std::uint32_t) + k * ((has_wide_ids ? sizeof(std::int64_t) : sizeof(std::int32_t)) + sizeof(float));
  }

  /// Bytes of memory of a store for `queries` rows on this rank, up to `added` of which are added at a time.
  static double bytes(double queries, double block_rows, double row_bytes, double added, int ranks, double chunk,
                      int threads) {
    const double blocks = std::ceil(queries / block_rows);
    return formats::Spool::bytes(blocks, chunk, queries * row_bytes) + RecordExchange::bytes(ranks, chunk) +
           RecordBatch::bytes(added, row_bytes, blocks * ranks, threads);
  }

  /// Bytes of memory that add_consecutive() takes for so many rows beside bytes(): the number of each query, and its
  /// mark.
  static double consecutive_bytes(double rows) { return rows * (sizeof(std::int64_t) + 1); }

  /// Bytes of memory while a block of so many rows is read: as records, and as two blocks, since the next is read while
  /// one is in use.
  static double reading_bytes(double rows, double row_bytes) { return rows * 3 * row_bytes; }

  std::int64_t queries() const { return queries_; }
  std::int64_t k() const { return k_; }
  std::int64_t block_rows() const { return block_rows_; }  ///< rows per block, the last of which may have fewer
  std::int64_t blocks() const { return (queries_ + block_rows_ - 1) / block_rows_; }
  bool has_wide_ids() const { return has_wide_ids_; }
  std::uint64_t sent_bytes() const { return exchange_->sent_bytes(); }
  std::uint64_t file_bytes() const { return spool_->file_bytes() + exchange_->file_bytes(); }

  /// Those of the rows that this rank has added.
  const detail::FirstDistances& first_distances() const { return first_distances_; }

  /// Counts over the rows that this rank has added.
  const RowCounts& counts() const { return counts_; }

  /// Whether several ranks keep the rows.
  bool has_ranks() const { return !ranks_.is_alone(); }

  /// The number of the first row of a rank's share.
  std::int64_t first_row(int rank) const;

  /// Adds finished rows of k neighbours each: row i, of query queries[i], is complete if finished[i] is not 0.
  /// @throws Error resources.
  void add(std::span<const std::int64_t> queries, std::span<const detail::Candidate> rows,
           std::span<const std::uint8_t> finished);

  /// Writes the k ids and distances of row i among the rows that are added.
  using FillRow = std::function<void(std::size_t i, std::span<std::int64_t> ids, std::span<float> distances)>;

  /// Adds finished rows that fill() writes, which several threads call. counts() leaves them out.
  /// @throws Error resources, and what fill throws.
  void add(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished, const FillRow& fill);

  /// The same for rows that all have k neighbours, at distances that float32 holds. counts() has them.
  /// @param farthest the largest distance among these rows @throws as the others.
  void add_full(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished, double farthest,
                const FillRow& fill);

  /// Adds consecutive rows, from that of query number `first` on. counts() leaves them out. @throws Error resources.
  void add_consecutive(std::int64_t first, const Neighbors& rows);

  /// All ranks call it when they have no more rows to add; blocks. @throws as RecordExchange::deliver().
  void deliver() { exchange_->deliver(); }

  /// Passes the rows of this rank to `sink`, in their order, as often as it is called. A row that was not added has
  /// missing neighbours. Blocks. @throws Error resources, and what `sink` throws.
  void for_each_own_block(const RowSink& sink) const;

  /// Passes the rows of all ranks to `sink`. Rank 0 calls it while the others are in serve(). Blocks, and throws, as
  /// for_each_own_block().
  void for_each_block(const RowSink& sink) const;

  /// Sends rows to rank 0 until it calls end_service(). All other ranks call it; blocks.
  void serve() const;
  void end_service() const;

 private:
  /// As in Rows.
  struct Block {
    std::variant<Array<std::int32_t>, Array<std::int64_t>> ids;
    Array<float> distances;
    base::MemoryCharge charge;

    Rows rows(std::int64_t first, std::int64_t k) const {
      Rows all{first, k > 0 ? std::ssize(distances) / k : 0, k, {}, {}, distances};
      std::visit([&]<class Id>(const Array<Id>& some) { all.ids = std::span<const Id>(some); }, ids);
      return all;
    }
  };

  std::int64_t first_block(int rank) const;
  std::size_t id_bytes() const { return has_wide_ids_ ? sizeof(std::int64_t) : sizeof(std::int32_t); }
  std::size_t row_bytes() const;
  Block empty_block(std::size_t values) const;
  Block read(std::int64_t block) const;
  Block fetch(std::int64_t block) const;

  Communicator& ranks_;
  std::int64_t queries_, k_, block_rows_;
  bool has_wide_ids_;
  base::MemoryBudget* memory_;
  std::optional<AngleUnit> sky_;
  std::unique_ptr<formats::Spool> spool_;  // by the blocks of this rank
  std::unique_ptr<RecordExchange> exchange_;
  RecordBatch batch_;  // by blocks
  RowCounts counts_;
  detail::FirstDistances first_distances_;
  int threads_;
};

}  // namespace kann::flow
