// The answer of a search as products take it: whether the clouds are in memory or in files, and whether one process has
// found the rows or several, makes no difference to them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "kann/accuracy.hpp"
#include "kann/io.hpp"
#include "kann/neighbors.hpp"

#include "formats/neighbors/reference_file.hpp"

namespace kann::flow {

/// The rows of consecutive queries, with the points that they belong to.
struct AnswerBlock {
  std::int64_t number = 0;  ///< of the block, from 0
  Rows rows;                ///< as a result has them

  /// The same rows; ids are places in `data`. Without `data`, an id says no more than whether it is missing.
  const Neighbors& neighbors;

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

  /// Bytes that products make of each row, while they have the block with the point that is its query, of `point_bytes`
  /// with its attributes: columns as they are computed and converted, and copies of the queries.
  double bytes_per_row(double point_bytes) const { return 16.0 * columns + (reads_queries ? 2 * point_bytes : 0); }
};

/// The rows of all queries with the points that they belong to, block by block. Rows of any length come as rows of one
/// length, that of the longest in their block.
class AnswerBlocks {
 public:
  virtual ~AnswerBlocks() = default;

  /// The data, or a cloud that has their attributes but no points: names, types, and what ReadOptions have asked for.
  virtual const Cloud& described_data() const = 0;
  virtual const Cloud& described_queries() const = 0;

  virtual std::int64_t query_count() const = 0;

  /// The number of blocks: it is always the same.
  virtual std::int64_t blocks() const = 0;

  /// Calls f() with all blocks, in the order of the queries. Blocks.
  /// @throws Error bad_input, resources, and what f throws.
  virtual void for_each(const Wanted& wanted, const std::function<void(const AnswerBlock&)>& f) const = 0;

  /// Calls f() with all data, with their attributes, in blocks. Blocks. @throws as for_each().
  virtual void for_each_of_data(const std::function<void(const Cloud&)>& f) const = 0;
};

/// An answer whose rows have k neighbours each.
class Answer : public AnswerBlocks {
 public:
  /// All rows, in blocks that need not be those of for_each().
  virtual RowBlocks rows() const = 0;

  /// measure_accuracy() of the rows. Blocks. @throws as measure_accuracy().
  virtual Accuracy verify(const AccuracyOptions& options) const = 0;

  /// compare() of the rows with those of a file, which is called `name` in messages. Blocks.
  /// @throws as compare() and formats::ReferenceFile.
  virtual Accuracy compare(formats::ReferenceFile& reference, const std::string& name,
                           const AccuracyOptions& options) const = 0;
};

}  // namespace kann::flow
