// A cloud in a file, any range of which can be read, so that it need not fit in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "kann/io.hpp"

namespace kann::formats {

class RowSource {
 public:
  virtual ~RowSource() = default;

  virtual std::int64_t size() const = 0;

  /// What read() gives for no rows: the dimensions and the type of the coordinates, `columns`, the names, types and
  /// flags of the attributes, what was asked for, and the head of LAS records.
  virtual const Cloud& without_rows() const = 0;

  int dimensions() const { return without_rows().points.dimensions; }
  bool is_float64() const { return std::holds_alternative<Array<double>>(without_rows().points.coordinates); }

  /// Points `first` to `first + count − 1`, as kann::read_points() reads them; attributes are not parsed. Blocks.
  /// @throws Error bad_input (read error, the file shrank or changed), resources.
  virtual Points read_points(std::int64_t first, std::int64_t count) const = 0;

  /// The same points with the attributes and the LAS records that the ReadOptions asked for: the cloud that
  /// kann::read_points() gives, restricted to these rows and without its warnings. Blocks. @throws as read_points().
  virtual Cloud read(std::int64_t first, std::int64_t count) const = 0;

  /// Bytes of memory that these two take at a time beside what they return, at most.
  virtual double buffer_bytes() const = 0;
};

/// What looking at a file has found.
struct RowCloud {
  std::unique_ptr<RowSource> rows = {};    ///< none: the points must be read as a whole
  std::string obstacle = {};               ///< if none: what prevents reading in ranges ("compressed data")
  std::vector<std::string> warnings = {};  ///< those of the whole file, as in Cloud
};

/// A copy of a cloud without rows, with attributes of `count` values that are not set. @throws Error resources.
Cloud with_rows(const Cloud& without_rows, std::size_t count, const std::string& file);

}  // namespace kann::formats
