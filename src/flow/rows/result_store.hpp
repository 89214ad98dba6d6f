// The rows of k neighbours, or the lists of any length, that a search finds: they come in any order, and are kept in
// temporary files until they are taken in the order of their queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "kann/array.hpp"
#include "kann/neighbors.hpp"
#include "kann/radius.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/post.hpp"
#include "search/rows/candidates.hpp"
#include "search/warnings.hpp"

namespace kann::flow {

/// Counts over finished rows or lists.
struct RowCounts {
  std::int64_t neighbors = 0;
  std::int64_t full_rows = 0;     ///< that have k neighbours
  std::int64_t past_float32 = 0;  ///< neighbours whose distance is written as infinite
  std::int64_t far_rows = 0;      ///< that have a neighbour farther than ResultKind::far

  void add(std::span<const detail::Candidate> row, double far);
  void add(const RowCounts& other);
};

/// What a store keeps.
struct ResultKind {
  std::int64_t data_points = 0;                          ///< that ids are numbers of
  std::int64_t k = 0;                                    ///< neighbours in a row; 0: lists
  std::optional<AngleUnit> sky = {};                     ///< of rows: SearchOptions::sky
  double far = std::numeric_limits<double>::infinity();  ///< of rows: detail::far_distance()
  bool drops_own = false;  ///< of lists: queries are the data points with the same numbers, and not in them
  bool is_half = false;    ///< of lists: only neighbours with a larger number than that of the query

  /// Whether some ids do not fit into int32.
  bool has_wide_ids() const { return data_points > std::numeric_limits<std::int32_t>::max(); }
};

/// The first query of each block of consecutive queries; then the number of queries.
using BlockBegins = std::vector<std::int64_t>;

/// How many rows a block has, `most` at most, where all ranks together have `queries`. Several ranks have many blocks
/// each, so that their shares are about equal.
std::int64_t rows_of_block(std::int64_t queries, std::int64_t most, int ranks);

/// Blocks of so many rows.
BlockBegins row_blocks(std::int64_t queries, std::int64_t rows);

/// Lists that a search of some queries in a tile has found.
struct FoundLists {
  std::span<const std::int64_t> queries;  ///< the number of each
  const NeighborLists& lists;             ///< ids are places in the tile
  std::span<const std::int64_t> points;   ///< the number of each data point of the tile
  bool are_own_images = false;            ///< all neighbours are images of the queries, and are kept
};

/// Each rank keeps blocks of consecutive queries, whichever rank has found their neighbours. Any number of neighbours
/// passes through: a block of lists is read in several steps if it does not fit in memory, and only a single list has
/// to.
class ResultStore {
 public:
  /// @param blocks the same on all ranks @param held neighbours of lists that are put together at a time, unless a
  ///        list has more
  ResultStore(Communicator& ranks, const ResultKind& kind, BlockBegins blocks, const TemporaryFiles& files,
              std::int64_t held = 0);

  /// Bytes of a record: a row, or a neighbour of a list. It has the place of the query in its block, the ids and the
  /// distances.
  static double record_bytes(double k, bool has_wide_ids) {
    return sizeof(std::uint32_t) + k * ((has_wide_ids ? sizeof(std::int64_t) : sizeof(std::int32_t)) + sizeof(float));
  }

  /// Bytes of memory that add_consecutive() takes for so many rows beside those of the post: the number of each query,
  /// and its mark.
  static double consecutive_bytes(double rows) { return rows * (sizeof(std::int64_t) + 1); }

  /// The same while up to `neighbors` of the lists of `queries` are added: for each query its block and its place
  /// there, for each neighbour its query.
  static double adding_bytes(double neighbors, double queries) {
    return (neighbors + 2 * queries) * sizeof(std::uint32_t);
  }

  /// Bytes of memory while a block of so many rows is read: as records, and as two blocks, since the next is read while
  /// one is in use.
  static double reading_bytes(double rows, double row_bytes) { return rows * 3 * row_bytes; }

  /// Bytes of memory while lists of so many queries with so many neighbours are put together: where each list begins,
  /// twice, ids and distances; on rank 0 and the rank that sends them, also the message.
  static double list_bytes(double neighbors, double queries, bool has_wide_ids, int ranks) {
    const double each = record_bytes(1, has_wide_ids) - sizeof(std::uint32_t);
    return (ranks == 1 ? 1 : 2) * (neighbors * each + queries * 2 * sizeof(std::int64_t));
  }

  /// Adds finished rows: row i, of query queries[i], is complete if finished[i] is not 0. @throws Error resources.
  void add(std::span<const std::int64_t> queries, std::span<const detail::Candidate> rows,
           std::span<const std::uint8_t> finished);

  /// Writes the k ids and distances of row i among the rows that are added.
  using FillRow = std::function<void(std::size_t i, std::span<std::int64_t> ids, std::span<float> distances)>;

  /// The same for rows that fill() writes, which several threads call. All have k neighbours, at distances that float32
  /// holds. @param far_rows RowCounts::far_rows of these @throws Error resources, and what fill throws.
  void add_full(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished, std::int64_t far_rows,
                const FillRow& fill);

  /// Adds consecutive rows, from that of query number `first` on. counts() leaves them out. @throws Error resources.
  void add_consecutive(std::int64_t first, const Neighbors& rows);

  /// Adds a part of some lists. @throws Error resources.
  void add(const FoundLists& found);

  /// All ranks call it when they have no more to add; blocks. @throws as Post::deliver().
  void deliver();

  const ResultKind& kind() const { return kind_; }
  std::int64_t queries() const { return blocks_.back(); }
  std::int64_t block_rows() const { return blocks_.size() > 1 ? blocks_[1] : 1; }  ///< in the first block
  std::int64_t listed() const { return listed_; }  ///< neighbours in all lists of all ranks, after deliver()
  std::uint64_t sent_bytes() const { return post_->sent_bytes(); }
  std::uint64_t file_bytes() const { return post_->file_bytes(); }

  /// Those of the rows that this rank has added.
  const detail::FirstDistances& first_distances() const { return first_distances_; }

  /// Counts over the rows that this rank has added; of lists, past_float32 alone.
  const RowCounts& counts() const { return counts_; }

  /// The results of all ranks, which refer to this object. Rank 0 uses them while the others are in serve(). A row that
  /// was not added has missing neighbours. @throws Error resources: a single list does not fit in memory.
  RowBlocks results() const;

  /// The rows of this rank.
  RowBlocks own_rows() const;

  /// Sends results to rank 0 until it calls end_service(). All other ranks call it; blocks.
  void serve() const;
  void end_service() const;

 private:
  /// Consecutive rows or lists of a block. Lists have no neighbours where only their counts were asked for.
  struct Part {
    base::MemoryCharge charge{};
    Array<std::int64_t> begins{};  ///< of lists, from 0
    std::variant<Array<std::int32_t>, Array<std::int64_t>> ids{};
    Array<float> distances{};
  };
  struct Request {
    std::int64_t first;  ///< query
    bool counts_only = false;
  };

  std::size_t block_of(std::int64_t query) const;
  Rows rows_of(std::int64_t first, const Part& part) const;
  void send(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished, const FillRow& fill);
  Part empty_part(std::size_t neighbors) const;
  Part read_rows(std::size_t block) const;
  template <class F>
  void for_each_listed(std::size_t block, F f) const;
  Part read_lists(const Request& request) const;
  template <class Id>
  void fill_lists(std::size_t block, std::int64_t skipped, Part& part) const;
  Part read(const Request& request) const;
  Part fetch(const Request& request) const;
  void for_each_own_block(const RowBlocks::Sink& sink) const;
  void for_each_block(const RowBlocks::Sink& sink) const;
  void for_each_list(bool counts_only, const RowBlocks::Sink& sink) const;

  Communicator& ranks_;
  const ResultKind kind_;
  const BlockBegins blocks_;
  const std::int64_t held_;
  const int threads_;
  base::MemoryBudget* const memory_;
  std::unique_ptr<Post> post_;  // by blocks
  RowCounts counts_;
  detail::FirstDistances first_distances_;
  std::int64_t listed_ = 0;
};

}  // namespace kann::flow
