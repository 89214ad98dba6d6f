// The body of a PLY file, in each of its encodings.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kann/io.hpp"

#include "formats/files/byte_progress.hpp"
#include "formats/files/refusal.hpp"
#include "formats/ply/ply_header.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/marked_rows.hpp"

namespace kann::formats {

struct PlyBody {
  Points points;                      ///< float32 if every coordinate property's type fits it, else float64
  std::vector<Attribute> attributes;  ///< the properties of PlyHeader::attributes
  std::size_t end = 0;                ///< offset in the file of the first byte after the last element
};

/// Reads the vertices and checks every other element. `bytes` is the whole file, `file` its name in messages. The size
/// of the file bounds memory and time, whatever the header claims. `progress`, if there is one, counts the bytes that
/// are parsed. @throws Error bad_input, with the line.
PlyBody read_ply_ascii(const PlyHeader& header, std::string_view bytes, const std::string& file,
                       ByteProgress* progress = nullptr);

/// The same as ranges of a regular file, which is read through once, for the same checks. `without_rows` is all of the
/// cloud but its rows. Blocks. @throws Error bad_input, with the line.
RowCloud ply_ascii_rows(const PlyHeader& header, Cloud without_rows, std::shared_ptr<Input> input, int threads);

/// Like read_ply_ascii(), for the binary encodings. @throws Error bad_input, with the byte.
PlyBody read_ply_binary(const PlyHeader& header, std::string_view bytes, const std::string& file);

/// The properties of the vertices that `options` ask for. @throws Error bad_input, as chosen_attributes().
ChosenAttributes choose_ply_attributes(const PlyHeader& header, const ReadOptions& options, const std::string& file,
                                       std::vector<std::string>& warnings);

/// That of the first comment that names one.
std::optional<CoordinateSystem> system_of(const PlyHeader& header);

/// The names of the properties of PlyHeader::attributes.
std::vector<std::string> attribute_names(const PlyHeader& header);

/// The fewest bytes that the rows of an element take. Binary rows without lists take exactly so many.
WideSize least_bytes(const PlyElement& element, PlyEncoding encoding);

/// Checks that the `left` bytes of the file can hold an element's rows.
/// @throws Error bad_input ("FILE: vertex count 20 needs 240 bytes, file holds 60").
void check_element_size(const PlyElement& element, PlyEncoding encoding, std::size_t left, const std::string& file);

/// Bytes that may follow the last element without a warning.
inline constexpr std::string_view k_ply_blanks = " \t\r\n";

}  // namespace kann::formats
