// Clouds that are read a part at a time: what does not fit in memory is read as often as it is needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kann/io.hpp"

#include "formats/files/input.hpp"
#include "formats/table/row_source.hpp"

namespace kann::formats {

/// Opens a cloud to be read in ranges. Looks at everything in the file that says where its points are, and whether
/// read_points() would refuse it: the header of binary formats, the lists of PLY, the whole of a text, whose rows are
/// then known to be right. There are no ranges if the points are compressed, if the vertices of PLY
/// have lists, or if the file is no regular one. The types of the columns of a text are those that its whole says.
/// Blocks.
/// @throws Error as read_points(): now, or when the points are read (vectors of other dimensions).
RowCloud open_rows(const std::string& path, const ReadOptions& options);

/// What the head of a file says of its points.
struct RowsInHead {
  bool has_count = false;   ///< how many there are
  bool has_places = false;  ///< where each of them is, or that there are no ranges: open_rows() looks at no more
  /// RowSource::without_rows(); of a text, as its first rows say it. None for a stream, and where the head does not say
  /// it, as that of an archive.
  std::optional<Cloud> described = {};
};

/// Looks at the head of a file, if it is a regular one: nothing is read of a stream. Blocks.
/// @throws Error as read_points(), of what is wrong with the head, or with the first rows of a text.
RowsInHead rows_in_head(const std::string& path, const ReadOptions& options);

/// open_rows() for an input that is open, and whose format is chosen; nothing has been read of it but its head.
RowCloud open_rows(std::shared_ptr<Input> input, PointFormat format, const ReadOptions& options);

/// Makes degrees of longitudes and latitudes in the units that `described` says they have, by degrees_per_unit() of its
/// columns: all points that ReadOptions::sky asks for pass through it.
void convert_to_degrees(Points& points, const Cloud& described);

/// The whole cloud, as read_points() reads it, but for the warning of an extension that contradicts the content.
/// Blocks. @throws Error as read_points().
Cloud read_whole(std::shared_ptr<Input> input, PointFormat format, const ReadOptions& options);

/// The input; its head alone if that lacks the magic without which the reader of the format refuses it. The rest may be
/// endless.
std::shared_ptr<Input> head_without_magic(std::shared_ptr<Input> input, PointFormat format);

}  // namespace kann::formats
