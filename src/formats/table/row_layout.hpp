// Where in a file the points are, if each takes a fixed number of bytes; and the functions that read them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/row_source.hpp"

namespace kann::formats {

/// Rows that a file holds in another form, from which any range of them can be made.
class PackedRowSource {
 public:
  virtual ~PackedRowSource() = default;

  /// Does what for_each_row_block() does, for rows `first` to `first + count − 1`; the first of them is row 0 of f().
  /// @throws Error bad_input, resources, and what f throws.
  virtual void for_each_block(Input& input, std::uint64_t first, std::uint64_t count, int threads,
                              const RowBytes& f) const = 0;

  /// Whether rows can be made without making very many before them.
  virtual bool has_ranges() const = 0;

  /// Bytes of memory that for_each_block() takes at a time, at most.
  virtual double buffer_bytes(int threads) const = 0;
};

/// Where the points of a file are. Whoever makes it has checked that the file holds all rows.
struct RowLayout {
  std::shared_ptr<Input> input = {};  ///< has the rows; its size is known
  std::string file = {};              ///< the name of the table in messages: that of the file, if it is empty
  FixedRows rows = {};                ///< for an array in Fortran order, those of its first column
  std::shared_ptr<const PackedRowSource> packed = {};  ///< gives the rows, if they are not as they are at rows.begin
  std::vector<RowField> axes = {};                     ///< one whose offset is past the stride is a column of its own
  std::string obstacle = {};                           ///< as RowCloud::obstacle
  std::optional<std::uint32_t> row_head = {};          ///< for fvecs: the dimension, with which each row begins
  std::vector<RowField> fields = {};  ///< of the attributes of `without_rows`; none if there is a row_head
  /// All of the cloud but its rows, with the warnings about the layout: each attribute has no values, and LasRecords
  /// have no records.
  Cloud without_rows = {};

  /// Adds an attribute without values.
  void add_attribute(std::string name, const RowField& field);
};

/// Points `first` to `first + count − 1`, with their attributes and LAS records; blocks.
/// @throws Error bad_input (as for_each_row_block(); the first row that has another head, or a coordinate that is a
///         whole number which float64 does not hold), resources.
Cloud read_layout(const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads);

/// The whole cloud.
inline Cloud read_layout(const RowLayout& layout, int threads) {
  return read_layout(layout, 0, layout.rows.rows, threads);
}

/// The points as ranges, unless there is an obstacle.
RowCloud row_cloud(RowLayout layout, int threads);

}  // namespace kann::formats
