// The points of a PCD file in binary_compressed.
#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <span>

#include "formats/files/refusal.hpp"
#include "formats/pcd/lzf.hpp"
#include "formats/pcd/pcd_body.hpp"
#include "formats/table/expansion.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_size_bytes = 8;  // of both sizes before compressed points

/// What the values and the points made of them take in memory.
WideSize memory_of(const PcdHeader& header, const PcdAttributes& attributes) {
  std::size_t bytes = header.axes.size() * sizeof(double);
  for (const PcdAttribute& one : attributes.all) bytes += size_of(one.type);
  return WideSize{header.points} * (header.point_bytes + bytes);
}

}  // namespace

PcdColumns::PcdColumns(const Input& input, const PcdHeader& header, const PcdAttributes& attributes)
    : fields_(header.fields),
      is_wanted_(header.fields.size()),
      points_(header.points),
      point_bytes_(header.point_bytes),
      begin_(header.body + k_size_bytes) {
  const std::string& file = input.name();
  const std::size_t left = input.size() - header.body;
  if (left < k_size_bytes)
    refuse(file, fmt::format("the sizes of the points need {} bytes, file holds {}", k_size_bytes, left));
  char sizes[k_size_bytes];
  input.read_range(header.body, std::as_writable_bytes(std::span(sizes)));
  compressed_ = static_cast<std::uint64_t>(load_integer(sizes, ScalarType::uint32, std::endian::little));
  decompressed_ = static_cast<std::uint64_t>(load_integer(sizes + 4, ScalarType::uint32, std::endian::little));
  const WideSize need = WideSize{header.points} * header.point_bytes;
  if (need != decompressed_)
    refuse_byte(file, header.body + 4,
                fmt::format("point count {} needs {} decompressed bytes, the file says {}", header.points, need,
                            decompressed_));
  if (compressed_ > left - k_size_bytes)
    refuse(file, fmt::format("the compressed points need {}, file holds {}", counted(compressed_, "byte"),
                             left - k_size_bytes));
  if (decompressed_ > compressed_ * k_lzf_ratio)
    refuse(file, fmt::format("{} of LZF cannot hold {}", counted(compressed_, "byte"), decompressed_));
  check_expansion(file, compressed_, memory_of(header, attributes));
  for (const std::size_t axis : header.axes) is_wanted_[axis] = true;
  for (const PcdAttribute& one : attributes.all) is_wanted_[one.field] = true;
}

void PcdColumns::for_each_block(Input& input, std::uint64_t first, std::uint64_t count, int, const RowBytes& f) const {
  Array<char> from(static_cast<std::size_t>(compressed_)), values(static_cast<std::size_t>(decompressed_));
  input.read_range(begin_, std::as_writable_bytes(std::span(from)));
  input.progress().set(end());
  const bool is_valid = decompress_lzf({from.data(), from.size()}, values);
  if (!is_valid && compressed_ != decompressed_)
    refuse_byte(input.name(), begin_,
                fmt::format("the {} compressed bytes are not LZF of {} bytes", compressed_, decompressed_));
  (is_valid ? from : values) = Array<char>();
  const char* const columns = is_valid ? values.data() : from.data();

  constexpr std::size_t block_bytes = std::size_t{1} << 16;  // stays in the cache
  const auto all = static_cast<std::size_t>(count), stride = static_cast<std::size_t>(point_bytes_);
  Array<char> rows(std::max(stride, block_bytes));
  const std::size_t block = rows.size() / stride;
  for (std::size_t row = 0; row < all; row += block) {
    const std::size_t n = std::min(block, all - row);
    for (std::size_t field = 0; field < fields_.size(); ++field) {
      if (!is_wanted_[field]) continue;
      const auto size = static_cast<std::size_t>(fields_[field].size);
      const auto offset = static_cast<std::size_t>(fields_[field].offset);
      const char* const from_field = columns + static_cast<std::size_t>(points_) * offset + (first + row) * size;
      char* const to = rows.data() + offset;
      // With a size that the compiler knows, 10⁶ points take 2 ms less
      with_stored_type(fields_[field].type, [&]<class T>(T) {
        for (std::size_t i = 0; i < n; ++i) std::memcpy(to + i * stride, from_field + i * sizeof(T), sizeof(T));
      });
    }
    f(row, n, rows.data());
  }
}

}  // namespace kann::formats
