// What the encodings of the body of a PLY file have in common, and its lines in ASCII.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "formats/files/input.hpp"
#include "formats/files/refusal.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/table/line_rows.hpp"

namespace kann::formats {

/// The lines of a body in ASCII, of whose vertices `properties` are read.
LineBody ply_lines(const PlyHeader& header, PackedRow properties, const Input& input);

/// The fewest bytes that the rows of an element take. Binary rows without lists take exactly so many.
WideSize least_bytes(const PlyElement& element, PlyEncoding encoding);

/// Checks that the `left` bytes of the file can hold an element's rows.
/// @throws Error bad_input ("FILE: vertex count 20 needs 240 bytes, file holds 60").
void check_element_size(const PlyElement& element, PlyEncoding encoding, std::size_t left, const std::string& file);

/// Bytes that may follow the last element without a warning.
inline constexpr std::string_view k_ply_blanks = " \t\r\n";

}  // namespace kann::formats
