// Lists of neighbours that are found in parts, by whatever rank, in temporary files until they are put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>

#include "kann/array.hpp"
#include "kann/radius.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "flow/rows/list_counts.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {

/// What lists of an answer hold.
struct ListKind {
  bool has_wide_ids = false;  ///< some ids do not fit into int32
  bool drops_own = false;     ///< queries are the data points with the same numbers, and not in their own lists
  bool is_half = false;       ///< only neighbours with a larger number than that of the query
};

/// What a search of some queries in a tile has found.
struct FoundLists {
  std::span<const std::int64_t> queries;  ///< the number of each
  const NeighborLists& lists;             ///< ids are places in the tile
  std::span<const std::int64_t> points;   ///< the number of each data point of the tile
};

/// Each rank keeps blocks of consecutive lists, whichever rank has found them. Any number of neighbours passes through:
/// a block is read in several steps if it does not fit in memory, and only a single list has to.
class ListStore {
 public:
  /// @param blocks ListCounts::blocks(), the same on all ranks
  /// @param held neighbours that are put together at a time, unless a list has more
  /// @param chunk as for formats::Spool
  /// @param memory is charged with what the store takes, and must outlive it
  ListStore(Communicator& ranks, const std::string& folder, ListBlockBegins blocks, const ListKind& kind,
            std::int64_t held, std::size_t chunk, int threads, base::MemoryBudget& memory);

  /// Bytes of a neighbour as a record: the place of the query in its block, the id and the distance.
  static double record_bytes(bool has_wide_ids) {
    return sizeof(std::uint32_t) + (has_wide_ids ? sizeof(std::int64_t) : sizeof(std::int32_t)) + sizeof(float);
  }

  /// Bytes of memory of a store with so many blocks and neighbours on this rank.
  static double bytes(double blocks, double neighbors, bool has_wide_ids, int ranks, double chunk) {
    return formats::Spool::bytes(blocks, chunk, neighbors * record_bytes(has_wide_ids)) +
           RecordExchange::bytes(ranks, chunk);
  }

  /// Bytes of memory while up to `neighbors` of `queries` are added: for each query its block and its place there, for
  /// each neighbour its query and its record.
  static double adding_bytes(double neighbors, double queries, bool has_wide_ids, double blocks, int threads) {
    return neighbors * sizeof(std::uint32_t) + queries * 2 * sizeof(std::uint32_t) +
           RecordBatch::bytes(neighbors, record_bytes(has_wide_ids), blocks, threads);
  }

  /// Bytes of memory while lists of so many queries with so many neighbours are put together: where each list begins,
  /// twice, ids and distances; on rank 0 and the rank that sends them, also the message.
  static double reading_bytes(double neighbors, double queries, bool has_wide_ids, int ranks) {
    const double each = record_bytes(has_wide_ids) - sizeof(std::uint32_t);
    return (ranks == 1 ? 1 : 2) * (neighbors * each + queries * 2 * sizeof(std::int64_t));
  }

  /// Adds a part of some lists. @throws Error resources.
  void add(const FoundLists& found);

  /// All ranks call it when they have no more to add; blocks. @throws as RecordExchange::deliver().
  void deliver();

  std::int64_t queries() const { return blocks_.back(); }
  std::int64_t neighbors() const { return neighbors_; }        ///< in all lists, after deliver()
  std::int64_t past_float32() const { return past_float32_; }  ///< among those that this rank has added
  std::uint64_t sent_bytes() const { return exchange_->sent_bytes(); }
  std::uint64_t file_bytes() const { return spool_->file_bytes() + exchange_->file_bytes(); }

  /// The lists of all ranks, which refer to this object. Rank 0 uses them while the others are in serve().
  /// @throws Error resources: a single list does not fit in memory.
  RowBlocks lists(std::int64_t data_points) const;

  /// Sends lists to rank 0 until it calls end_service(). All other ranks call it; blocks.
  void serve() const;
  void end_service() const;

 private:
  /// Consecutive lists of a block; without neighbours, where only their counts were asked for.
  struct Part {
    base::MemoryCharge charge{};
    Array<std::int64_t> begins{};  ///< from 0
    std::variant<Array<std::int32_t>, Array<std::int64_t>> ids{};
    Array<float> distances{};
  };
  struct Request {
    std::int64_t first;
    bool counts_only;
  };

  std::int64_t blocks() const { return static_cast<std::int64_t>(blocks_.size()) - 1; }
  std::int64_t block_of(std::int64_t query) const;
  std::int64_t first_block(int rank) const;
  std::size_t record_bytes() const { return static_cast<std::size_t>(record_bytes(kind_.has_wide_ids)); }
  template <class F>
  void for_each_record(std::int64_t block, F f) const;
  Part read(const Request& request) const;
  template <class Id>
  void fill(std::int64_t block, std::int64_t first, Part& part) const;
  Part fetch(const Request& request) const;
  void for_each_part(bool counts_only, const std::function<void(std::int64_t first, Part& part)>& f) const;

  Communicator& ranks_;
  const ListBlockBegins blocks_;
  const ListKind kind_;
  const std::int64_t held_;
  const int threads_;
  base::MemoryBudget& memory_;
  std::unique_ptr<formats::Spool> spool_;  // by the blocks of this rank
  std::unique_ptr<RecordExchange> exchange_;
  RecordBatch batch_;  // by blocks
  std::int64_t neighbors_ = 0, past_float32_ = 0;
};

}  // namespace kann::flow
