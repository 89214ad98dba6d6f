// The points of a PCD file in binary_compressed.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>

#include "formats/files/refusal.hpp"
#include "formats/pcd/lzf.hpp"
#include "formats/pcd/pcd_body.hpp"
#include "formats/table/attributes.hpp"
#include "formats/table/expansion.hpp"

namespace kann::formats {
namespace {

/// The sizes of the points, compressed and decompressed.
std::pair<std::uint64_t, std::uint64_t> sizes_of(std::string_view body) {
  const auto size_at = [&](std::size_t offset) {
    return static_cast<std::uint64_t>(load_integer(body.data() + offset, ScalarType::uint32, std::endian::little));
  };
  return {size_at(0), size_at(4)};
}

/// What the values and the points made of them take in memory.
WideSize memory_of(const PcdHeader& header, const PcdAttributes& attributes) {
  std::size_t bytes = header.axes.size() * sizeof(double);
  for (const PcdAttribute& one : attributes.all) bytes += size_of(one.type);
  return WideSize{header.points} * (header.point_bytes + bytes);
}

}  // namespace

void check_pcd_compressed_size(const PcdHeader& header, const PcdAttributes& attributes, std::string_view sizes,
                               std::size_t left, const std::string& file) {
  if (sizes.size() < k_pcd_size_bytes)
    refuse(file, fmt::format("the sizes of the points need {} bytes, file holds {}", k_pcd_size_bytes, sizes.size()));
  const auto [compressed, decompressed] = sizes_of(sizes);
  const WideSize need = WideSize{header.points} * header.point_bytes;
  if (need != decompressed)
    refuse_byte(
        file, header.body + 4,
        fmt::format("point count {} needs {} decompressed bytes, the file says {}", header.points, need, decompressed));
  if (compressed > left - k_pcd_size_bytes)
    refuse(file, fmt::format("the compressed points need {}, file holds {}", counted(compressed, "byte"),
                             left - k_pcd_size_bytes));
  if (decompressed > compressed * k_lzf_ratio)
    refuse(file, fmt::format("{} of LZF cannot hold {}", counted(compressed, "byte"), decompressed));
  check_expansion(file, compressed, memory_of(header, attributes));
}

PcdBody read_pcd_compressed(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                            const std::string& file) {
  const std::string_view body = bytes.substr(header.body);
  check_pcd_compressed_size(header, attributes, body.substr(0, k_pcd_size_bytes), body.size(), file);
  const auto [compressed, decompressed] = sizes_of(body);
  const std::string_view from = body.substr(k_pcd_size_bytes, compressed);
  Array<char> values(decompressed);
  const bool is_valid = decompress_lzf(from, values);
  if (!is_valid && compressed != decompressed)
    refuse_byte(file, header.body + k_pcd_size_bytes,
                fmt::format("the {} compressed bytes are not LZF of {} bytes", compressed, decompressed));
  const char* const first = is_valid ? values.data() : from.data();

  const auto column_of = [&](std::size_t f, ScalarType type, std::size_t byte) {
    const PcdField& field = header.fields[f];
    return Column{type, first + header.points * field.offset + byte, field.size, std::endian::little};
  };
  std::vector<Column> axes, columns;
  for (const std::size_t axis : header.axes) axes.push_back(column_of(axis, header.fields[axis].type, 0));
  for (const PcdAttribute& one : attributes.all) columns.push_back(column_of(one.field, one.type, one.byte));
  return {gather_columns(axes, static_cast<std::int64_t>(header.points)),
          gather_attributes(attributes.names(), columns, static_cast<std::size_t>(header.points), file),
          header.body + k_pcd_size_bytes + static_cast<std::size_t>(compressed)};
}

}  // namespace kann::formats
