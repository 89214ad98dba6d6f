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

constexpr std::size_t k_size_bytes = 8;  // bytes of both sizes

/// What the values and the points made of them take in memory.
WideSize memory_of(const PcdHeader& header, const PcdAttributes& attributes) {
  std::size_t bytes = header.axes.size() * sizeof(double);
  for (const PcdAttribute& one : attributes.all) bytes += size_of(one.type);
  return WideSize{header.points} * (header.point_bytes + bytes);
}

}  // namespace

PcdBody read_pcd_compressed(const PcdHeader& header, const PcdAttributes& attributes, std::string_view bytes,
                            const std::string& file) {
  const std::string_view body = bytes.substr(header.body);
  if (body.size() < k_size_bytes)
    refuse(file, fmt::format("the sizes of the points need 8 bytes, file holds {}", body.size()));
  const auto size_at = [&](std::size_t offset) {
    return static_cast<std::uint64_t>(load_integer(body.data() + offset, ScalarType::uint32, std::endian::little));
  };
  const std::uint64_t compressed = size_at(0), decompressed = size_at(4);
  const WideSize need = WideSize{header.points} * header.point_bytes;
  if (need != decompressed)
    refuse_byte(
        file, header.body + 4,
        fmt::format("point count {} needs {} decompressed bytes, the file says {}", header.points, need, decompressed));
  const std::string_view packed = body.substr(k_size_bytes);
  if (compressed > packed.size())
    refuse(file, fmt::format("the compressed points need {} bytes, file holds {}", compressed, packed.size()));
  if (decompressed > compressed * k_lzf_ratio)
    refuse(file, fmt::format("{} bytes of LZF cannot hold {}", compressed, decompressed));
  check_expansion(file, compressed, memory_of(header, attributes));

  const std::string_view from = packed.substr(0, compressed);
  Array<char> values(decompressed);
  const bool is_valid = decompress_lzf(from, values);
  if (!is_valid && compressed != decompressed)
    refuse_byte(file, header.body + k_size_bytes,
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
          header.body + k_size_bytes + static_cast<std::size_t>(compressed)};
}

}  // namespace kann::formats
