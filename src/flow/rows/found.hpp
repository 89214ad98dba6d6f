// What a search has found, as products take it: whether rows have one length or any, whether the clouds are in memory
// or in files, and whether one process has found the rows or several, makes no difference to them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "base/memory_budget.hpp"
#include "flow/sources/point_source.hpp"

namespace kann::flow {

/// The rows of consecutive queries, with the points that they belong to.
struct FoundBlock {
  std::int64_t number = 0;  ///< of the block, from 0
  const Rows& rows;         ///< as a result has them

  /// The same rows; ids are places in `data`, of 32 bits. Without `data`, an id says no more than whether it is
  /// missing.
  const Rows& neighbors;

  const Cloud& queries;  ///< the queries, with the attributes that they are read with; if they are wanted
  const Cloud& data;     ///< data points, with attributes: at least those that the rows name; if they are wanted

  /// The numbers of these points in the data, ascending. Empty, though there are points: they are all of the data.
  std::span<const std::int64_t> data_rows;
};

/// What a product needs of each block beside its rows. What it does not need is not read.
struct Wanted {
  bool queries = false, data = false;

  /// Numbers of further data points that `data` must hold for the rows of `count` queries from number `first` on.
  std::function<std::span<const std::int64_t>(std::int64_t first, std::int64_t count)> also = nullptr;
};

/// What becomes of the rows, as far as memory depends on it.
struct ProductShape {
  bool reads_queries = false;  ///< the queries with their attributes, block by block
  bool reads_data = false;     ///< the data points that rows name, with their attributes
  bool has_reference = false;  ///< rows to compare with, which name as many points again
  int columns = 0;             ///< values of 8 bytes that are computed per query
  double data_copies = 0;      ///< bytes that are made of each data point that rows name, beside the point
  double fixed = 0;            ///< bytes that do not depend on the clouds, as those of a picture
  double held = 0;             ///< bytes per query that stay as long as there are products

  /// Bytes that products make of each row, while they have the block with the point that is its query, of `point_bytes`
  /// with its attributes: columns as they are computed and converted, and copies of the queries.
  double bytes_per_row(double point_bytes) const { return 16.0 * columns + (reads_queries ? 2 * point_bytes : 0); }
};

/// Clouds in files, which are read again, and what takes memory.
struct FoundInFiles {
  const CloudSource &data, &queries;  ///< the same object in a self-query
  ProductShape products;              ///< what is made of each block
  base::MemoryBudget& memory;         ///< is charged with blocks
  int threads;
  std::int64_t block_rows;  ///< of a block; of lists: neighbours, unless a list is longer
};

class Found {
 public:
  /// Rows and clouds in memory: one block. The arguments must outlive this object.
  Found(const Neighbors& rows, const Cloud& data, const Cloud& queries)
      : rows_(one_block(rows)), data_(&data), queries_(&queries), neighbors_(&rows) {}

  /// The same with lists, whose ids have 32 bits, in blocks of some megabytes.
  Found(RowBlocks rows, const Cloud& data, const Cloud& queries)
      : rows_(std::move(rows)), data_(&data), queries_(&queries) {}

  /// What the arguments refer to must outlive this object.
  Found(RowBlocks rows, const FoundInFiles& files) : rows_(std::move(rows)), files_(files) {}

  /// Bytes of memory per row of a block from files, beside the row as it comes: its k neighbours, and the point, if it
  /// is wanted. NamedPoints has the points of the data.
  static double row_bytes(double k, double wanted_query) { return k * sizeof(std::int32_t) + wanted_query; }

  /// The data, or a cloud that has their attributes but no points: names, types, and what ReadOptions have asked for.
  const Cloud& described_data() const { return files_ ? files_->data.described() : *data_; }
  const Cloud& described_queries() const { return files_ ? files_->queries.described() : *queries_; }

  /// All rows, in blocks that need not be those of for_each().
  const RowBlocks& rows() const { return rows_; }
  std::int64_t query_count() const { return rows_.queries; }

  /// Calls f() with the same blocks each time, in the order of the queries: at least one. Blocks.
  /// @throws Error bad_input, resources, and what f throws.
  void for_each(const Wanted& wanted, const std::function<void(const FoundBlock&)>& f) const;

  /// Calls f() with all data, with their attributes, in blocks. Blocks. @throws as for_each().
  void for_each_of_data(const std::function<void(const Cloud&)>& f) const;

  /// Where the clouds are; null: in memory.
  const FoundInFiles* files() const { return files_ ? &*files_ : nullptr; }

  /// The rows, if they are in memory with the clouds, and have one length; else null.
  const Neighbors* neighbors() const { return neighbors_; }

 private:
  class Join;

  const RowBlocks rows_;
  const Cloud *data_ = nullptr, *queries_ = nullptr;
  const Neighbors* neighbors_ = nullptr;
  const std::optional<FoundInFiles> files_;
};

}  // namespace kann::flow
