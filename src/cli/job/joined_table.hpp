// The table of --join: pairs of queries and data points with the columns of both.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/io.hpp"
#include "kann/radius.hpp"

#include "cli/options/options.hpp"
#include "flow/rows/found.hpp"
#include "formats/files/byte_sink.hpp"
#include "formats/text/pair_table.hpp"

namespace kann::cli {

/// A cloud as columns of a table: x, y and z, unless the file has them among its columns, and its attributes.
class TableSide {
 public:
  /// Copies coordinates that are no attributes; `cloud` must outlive this object.
  explicit TableSide(const Cloud& cloud);
  TableSide(const TableSide&) = delete;
  TableSide& operator=(const TableSide&) = delete;

  std::span<const Attribute* const> columns() const { return columns_; }

 private:
  std::vector<Attribute> coordinates_;
  std::vector<const Attribute*> columns_;
};

class JoinedTable {
 public:
  /// Writes the names of the columns. `sink` must outlive this object.
  /// @param queries, data clouds with the names of the columns; they may have no points
  JoinedTable(const Options& options, const Cloud& queries, const Cloud& data, formats::ByteSink& sink, int threads);

  /// Writes the lines of consecutive queries. Blocks. @throws Error resources.
  /// @param is_kept per query, whether it has lines: 1, or 0; empty: all have
  void add(const flow::FoundBlock& block, std::span<const std::uint8_t> is_kept);

 private:
  const Join join_;
  const formats::PairTable table_;
  std::optional<TableSide> data_;
  formats::ByteSink& sink_;
  const int threads_;
};

}  // namespace kann::cli
