// The points of a PCD file, in each of its encodings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/input.hpp"
#include "formats/pcd/pcd_header.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/columns.hpp"
#include "formats/table/fixed_rows.hpp"
#include "formats/table/line_rows.hpp"
#include "formats/table/read_request.hpp"

namespace kann::formats {

struct PcdAttribute {
  std::string name;
  std::size_t field = 0;  ///< its place in PcdHeader::fields
  ScalarType type = ScalarType::float32;
  std::size_t byte = 0;  ///< where it begins in the field's value, little-endian
};

struct PcdAttributes {
  std::vector<PcdAttribute> all;
  ChosenAttributes chosen;  ///< by the names that options ask for
};

/// The attributes that `options` ask for, as chosen_attributes() says. A field `rgb` or `rgba` of 4 bytes, whatever its
/// type, is red, green and blue as uint8, by these names and by its own; its bytes are blue, green, red and, unused,
/// alpha. Fields with several values per point cannot be attributes; fields called `_` are padding.
/// @throws Error bad_input.
PcdAttributes choose_pcd_attributes(const PcdHeader& header, const ReadRequest& options, const std::string& file,
                                    std::vector<std::string>& warnings);

/// Checks that the `left` bytes after the header can hold the points in ASCII. @throws Error bad_input.
void check_pcd_ascii_size(const PcdHeader& header, std::size_t left, const std::string& file);

/// The lines of the points in ASCII, of which `fields` are read. Values of other fields are checked to be numbers.
LineBody pcd_lines(const PcdHeader& header, PackedRow fields, const std::string& file);

/// Bytes that may follow the last point without a warning: old releases of PCL filled the last page of the file.
inline constexpr std::string_view k_pcd_blanks{" \t\r\n\0", 5};

/// The points of binary_compressed, as rows of the binary encoding. The body has two sizes of 32 bits, then LZF of all
/// values of the first field, all of the second, and so on. If the sizes are equal and the bytes are no LZF, they are
/// the values themselves. They are decompressed as a whole.
class PcdColumns final : public PackedRowSource {
 public:
  /// Reads the sizes, and checks that the file can hold the points, and that the points fit in memory.
  /// @throws Error bad_input; resources (memory).
  PcdColumns(const Input& input, const PcdHeader& header, const PcdAttributes& attributes);

  void for_each_block(Input& input, std::uint64_t first, std::uint64_t count, int threads,
                      const RowBytes& f) const override;
  double buffer_bytes(int) const override { return static_cast<double>(compressed_ + decompressed_); }

  /// Offset of the byte after the compressed points.
  std::size_t end() const { return begin_ + static_cast<std::size_t>(compressed_); }

 private:
  const std::vector<PcdField> fields_;
  std::vector<bool> is_wanted_;  // of each field: it is an axis or an attribute
  const std::uint64_t points_, point_bytes_;
  const std::size_t begin_;
  std::uint64_t compressed_ = 0, decompressed_ = 0;
};

}  // namespace kann::formats
