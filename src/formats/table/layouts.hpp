// How the points of each format of files lie in them. npy_reader.hpp has that of NumPy arrays, text_reader.hpp that of
// text.
#pragma once

#include <memory>

#include "formats/files/input.hpp"
#include "formats/table/read_request.hpp"
#include "formats/table/row_layout.hpp"

namespace kann::formats {

/// The vertices of a PLY file (Turk 1994): ASCII and both binary encodings, any scalar types, lists and other elements.
/// Every element is checked to its last row, the faces too: where they have lists, and in ASCII, when points are read.
/// Attributes are scalar properties of the vertices. Bytes after the last element are a warning. Vertices with lists
/// have no ranges in a binary file. Blocks.
/// @throws Error bad_input, with the line or byte.
RowLayout ply_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The points of a PCD file: ascii, binary (little-endian) and binary_compressed, any types of fields. Organised clouds
/// are read row by row, with NaN where they have no point; VIEWPOINT moves nothing. Bytes after the last point are a
/// warning. The coordinates are those of parse_pcd_header(); float32 if that holds every value of their types.
/// Attributes are as choose_pcd_attributes() says. binary_compressed has no ranges. Blocks.
/// @throws Error bad_input, with the line where there is one; resources.
RowLayout pcd_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The points of a LAS or LAZ file (versions 1.0 to 1.4, point formats 0 to 10, records of any length) as float64:
/// scale · integer + offset, each rounded once, which are the coordinates that laspy gives. `columns` may choose among
/// x, y and z, e.g. x and y for a 2-D cloud. Bytes after the last point are a warning, unless the header says that
/// waveforms or extended records follow. Attributes are las_fields(). LAZ has no ranges if its points are compressed in
/// one piece. Blocks.
/// @throws Error bad_input, resources.
RowLayout las_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The points of an archive that numpy.savez() or numpy.savez_compressed() has written: the array called points, else
/// that called xyz, else the only one that npy_layout() takes with these columns. A result of kann has none. Until it
/// is located, the layout is an estimate from the directory of the archive; locating it reads a stored array through,
/// for its CRC-32, or decompresses it. Compressed arrays have no ranges.
/// @throws Error bad_input, which names the arrays that there are; resources (memory). Arrays that would take much more
///         memory than the file has bytes are refused before it is allocated (check_expansion()).
RowLayout npz_layout(std::shared_ptr<Input> input, const ReadRequest& options);

// Arrays of float32 without names, all little-endian. If no columns are chosen, vectors must have two or three numbers,
// which are a point.

/// The vectors of an fvecs file (TEXMEX). Each is an int32, its dimension, and so many float32; all have one dimension,
/// which is checked when they are read.
/// @throws Error bad_input, with the byte; resources.
RowLayout fvecs_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The vectors of an fbin file (big-ann): two uint32, the number of vectors and their dimension, then the float32.
/// Bytes after the last one are a warning.
/// @throws Error bad_input, with the byte; resources.
RowLayout fbin_layout(std::shared_ptr<Input> input, const ReadRequest& options);

/// The points of a KITTI frame (velodyne/000000.bin): x, y, z and reflectance as float32, without a header. Any file of
/// a multiple of 16 bytes is one. Columns can be attributes by these names; columns of fvecs and fbin have no names.
/// @throws Error bad_input, resources.
RowLayout kitti_layout(std::shared_ptr<Input> input, const ReadRequest& options);

}  // namespace kann::formats
