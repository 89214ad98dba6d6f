// A cloud for those who want to know what is in its file: all columns, block by block, and what the file says beside
// its points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "formats/table/read_request.hpp"
#include "formats/table/row_source.hpp"

namespace kann::formats {

class FileContents {
 public:
  using Block = std::function<void(std::int64_t row, const Cloud&)>;

  /// Opens a file, as open_rows() does, with all of its columns as attributes, those of the coordinates among them. A
  /// stream, and a file that can only be read as a whole, are read now. Blocks. @throws Error as read_points().
  FileContents(const std::string& path, ReadRequest options);

  /// "PLY, binary_little_endian", "LAS 1.2, point format 3"
  const std::string& format() const { return format_; }

  /// Bytes of a regular file; none for a stream.
  std::optional<std::uint64_t> bytes() const { return bytes_; }

  /// What read_points() warns of.
  const std::vector<std::string>& warnings() const { return whole_ ? whole_->warnings : rows_.warnings; }

  std::int64_t size() const { return whole_ ? whole_->points.size() : rows_.rows->size(); }

  /// The cloud, perhaps without its rows: dimensions, types, names and flags of the columns.
  const Cloud& described() const { return whole_ ? *whole_ : rows_.rows->without_rows(); }

  /// Calls f() with all points, in their order, in blocks of some megabytes: while one is in use, the next is read.
  /// Blocks. @throws Error bad_input, resources, and what f throws.
  void for_each_block(const Block& f) const;

 private:
  std::string format_;
  std::optional<std::uint64_t> bytes_;
  RowCloud rows_;
  std::optional<Cloud> whole_;
};

}  // namespace kann::formats
