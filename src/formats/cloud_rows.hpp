// Opens files of points of any format: read_points() with what the program asks for. Clouds that do not fit in memory
// are read a part at a time, as often as it is needed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/table.hpp"

namespace kann::formats {

/// kann::read_points(), which is this with ReadOptions alone.
Cloud read_whole_cloud(const std::string& path, const ReadRequest& options);

/// Looks at the head of a file, and at its size: takes what its header says as far as the file is large enough,
/// else its size over that of a row. None if that says nothing: standard input, what is not a regular file, and a file
/// that read_points() will refuse. Blocks.
std::optional<CloudEstimate> estimate_cloud(const std::string& path, const ReadRequest& options = {});

/// Opens a cloud to be read in ranges. Looks at everything in the file that says where its points are, and whether
/// read_points() would refuse it: the header of binary formats, the lists of PLY, the whole of a text, whose rows are
/// then known to be right. There are no ranges if the points are compressed, if the vertices of PLY
/// have lists, or if the file is no regular one. The types of the columns of a text are those that its whole says.
/// Blocks.
/// @throws Error as read_points(): now, or when the points are read (vectors of other dimensions).
RowCloud open_rows(const std::string& path, const ReadRequest& options);

/// Looks at the head of a file, if it is a regular one: nothing is read of a stream. Blocks.
/// @throws Error as read_points(), of what is wrong with the head, or with the first rows of a text.
RowsInHead rows_in_head(const std::string& path, const ReadRequest& options);

/// The same options, with the columns that ReadOptions::where names among the attributes, as their last.
ReadRequest with_columns_of_where(ReadRequest options);

/// What all points pass through after they have been read with the options of with_columns_of_where(): angles become
/// degrees where ReadOptions::sky asks for them, and points are left out by ReadOptions::where.
/// @param is_certain whether the types of the columns are those of the file, also where they have no values
/// @throws Error bad_input: a column cannot be compared so.
void adjust(Cloud& cloud, const ReadRequest& options, const std::string& file, bool is_certain = false);

/// The points of an input of this format, of which nothing has been read but its head. Looks at what the head says, and
/// reads all of an input that is no regular file, unless it is text. The only place that tells point formats apart.
/// Blocks. @throws Error as read_points(), of what is wrong with the head.
std::unique_ptr<Table> open_table(std::shared_ptr<Input> input, PointFormat format, const ReadRequest& options);

}  // namespace kann::formats
