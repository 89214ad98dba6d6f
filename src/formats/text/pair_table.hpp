// Tables as text with the columns of two clouds: a line for each pair of points.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"

#include "formats/files/byte_sink.hpp"

namespace kann::formats {

/// A line of the table.
struct PairLine {
  std::int64_t query;  ///< place in the block of the queries
  std::int64_t data;   ///< place in the block of the data; −1: the query has no pair, and these cells are empty
  std::int64_t id;     ///< row number of the data point
  float distance;
};

class PairTable {
 public:
  /// @param has_pairs false: the table has the columns of the queries alone
  PairTable(char delimiter, bool has_pairs) : delimiter_(delimiter), has_pairs_(has_pairs) {}

  /// The first line: the names of both sides, `nn_id` and `nn_distance`. A name that both sides have, or that is one of
  /// these two, is `query_NAME` and `data_NAME`.
  std::string header(std::span<const Attribute* const> queries, std::span<const Attribute* const> data) const;

  /// Writes the lines, on up to `threads` threads; blocks. NaN is an empty cell. @throws Error resources.
  void write(std::span<const Attribute* const> queries, std::span<const Attribute* const> data,
             std::span<const PairLine> lines, ByteSink& sink, int threads) const;

 private:
  const char delimiter_;
  const bool has_pairs_;
};

}  // namespace kann::formats
