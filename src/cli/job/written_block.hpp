// The cloud of the queries as it is written, with what was found for each point.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/cloud_file.hpp"
#include "kann/io.hpp"
#include "kann/points.hpp"

namespace kann::cli {

/// A block of a written cloud: queries with all their own attributes, and columns. An own attribute that has the name
/// or the meaning of a column is renamed to query_NAME, or to NAME_1 beside what was found. Blocks of queries with the
/// same attributes and columns have the same attributes.
class WrittenBlock {
 public:
  /// Copies the own attributes, and the rest only if points are left out.
  /// @param queries consecutive queries; they must outlive the block
  /// @param columns attributes, with a value per query
  /// @param is_kept per query: 1, or 0 if it is left out; empty: all are kept
  /// @param holds_text whether own attributes that are text, which a condition may name, are written
  WrittenBlock(const Cloud& queries, std::vector<Attribute> columns, std::span<const std::uint8_t> is_kept,
               bool holds_text = true);

  /// What CloudFile::write() takes; valid as long as this and the queries.
  CloudBlock view() const;

 private:
  const Cloud& queries_;
  std::vector<Attribute> attributes_;
  std::optional<Points> kept_points_;   ///< set if points are left out
  std::optional<LasRecords> kept_las_;  ///< set if points are left out, and the queries have records
};

}  // namespace kann::cli
