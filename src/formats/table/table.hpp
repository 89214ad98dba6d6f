// A file of points that is open: what its head says of them, and the points, as a whole or in ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kann/io.hpp"

#include "formats/table/row_source.hpp"

namespace kann::formats {

/// What reading a file would give, and what memory it would take, roughly.
struct CloudEstimate {
  std::int64_t points = 0;
  int dimensions = 3;       ///< 3 if only reading the whole file would tell
  bool is_float64 = false;  ///< whether the coordinates are float64, as far as the head says it
  /// Bytes that are in memory beside the points while they are read: the file, as it is and decompressed.
  double held_bytes = 0;
};

/// What the head of a file says of its points.
struct RowsInHead {
  bool has_count = false;   ///< how many there are
  bool has_places = false;  ///< where each of them is, or that there are no ranges: Table::rows() looks at no more
  /// RowSource::without_rows(); of a text, as its first rows say it. None for a stream, and where the head does not say
  /// it, as that of an archive.
  std::optional<Cloud> described = {};
};

/// All members block, and throw Error as kann::read_points(), of what they look at.
class Table {
 public:
  virtual ~Table() = default;

  /// The variant of the format, to follow its name: ", ascii" of PLY; empty if there is none.
  virtual std::string variant() const { return ""; }

  /// As estimate_cloud(), of a file that is not empty; looks at no more of it than has been read.
  virtual CloudEstimate estimate() const = 0;

  virtual RowsInHead in_head() const = 0;

  /// The points as ranges, as open_rows() says.
  virtual RowCloud rows() const = 0;

  /// The whole cloud.
  virtual Cloud read() const = 0;
};

}  // namespace kann::formats
