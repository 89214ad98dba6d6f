// The cloud of the queries as it is written, with what was found for each point.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kann/attributes.hpp"
#include "kann/cloud_file.hpp"
#include "kann/io.hpp"
#include "kann/points.hpp"

#include "cli/options/attribute_choice.hpp"

namespace kann::cli {

/// What is asked of the columns of a written cloud.
struct WrittenColumns {
  std::vector<AttributeChoice> choices = {};
  std::vector<std::string> coordinates = {};  ///< their names
  bool holds_text = true;  ///< whether own attributes that are text, which a condition may name, are written
  std::string owner = {};  ///< the file, in messages
};

/// A block of a written cloud: queries with all their own attributes, and columns. An own attribute that has the name
/// or the meaning of a column is renamed to query_NAME, or to NAME_1 beside what was found. Blocks of queries with the
/// same attributes and columns have the same attributes.
class WrittenBlock {
 public:
  /// Copies the own attributes, and the rest only if points are left out.
  /// @param queries consecutive queries; they must outlive the block
  /// @param columns attributes, with a value per query
  /// @param is_kept per query: 1, or 0 if it is left out; empty: all are kept
  /// @throws Error bad_input, as chosen_columns().
  WrittenBlock(const Cloud& queries, std::vector<Attribute> columns, std::span<const std::uint8_t> is_kept,
               const WrittenColumns& asked = {});

  /// The names of own attributes that would be written, but are text.
  const std::vector<std::string>& lost() const { return lost_; }

  /// What CloudFile::write() takes; valid as long as this and the queries.
  CloudBlock view() const;

 private:
  const Cloud& queries_;
  std::vector<Attribute> attributes_;
  std::vector<std::string> lost_;
  std::optional<Points> kept_points_;   ///< set if points are left out
  std::optional<LasRecords> kept_las_;  ///< set if points are left out, and the queries have records
};

}  // namespace kann::cli
