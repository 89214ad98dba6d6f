// The points of a PCD file in binary_compressed.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <string_view>

#include "io/files/refusal.hpp"
#include "io/points/pcd/lzf.hpp"
#include "io/points/pcd/pcd_body.hpp"
#include "io/points/table/expansion.hpp"

namespace kann::io {
namespace {

constexpr std::size_t k_size_bytes = 8;  // of both sizes

/// What the values and the points made of them take in memory.
WideSize memory_of(const PcdHeader& header) {
  return WideSize{header.points} * (header.point_bytes + header.axes.size() * sizeof(double));
}

}  // namespace

PcdBody read_pcd_compressed(const PcdHeader& header, std::string_view bytes, const std::string& file) {
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
  check_expansion(file, compressed, memory_of(header));

  const std::string_view from = packed.substr(0, compressed);
  Array<char> values(decompressed);
  const bool is_valid = decompress_lzf(from, values);
  if (!is_valid && compressed != decompressed)
    refuse_byte(file, header.body + k_size_bytes,
                fmt::format("the {} compressed bytes are not LZF of {} bytes", compressed, decompressed));
  const char* const first = is_valid ? values.data() : from.data();

  std::vector<Column> axes;
  for (const std::size_t axis : header.axes) {
    const PcdField& field = header.fields[axis];
    axes.push_back({*field.type, first + header.points * field.offset, field.size, std::endian::little});
  }
  return {gather_columns(axes, static_cast<std::int64_t>(header.points)),
          header.body + k_size_bytes + static_cast<std::size_t>(compressed)};
}

}  // namespace kann::io
