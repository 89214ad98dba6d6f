// Reads the formats of the benchmarks of nearest neighbours: bin, ibin and ivecs.
#include <cstring>
#include <fmt/format.h>

#include "io/files/refusal.hpp"
#include "io/reference/number_at.hpp"
#include "io/reference/readers.hpp"

namespace kann::io {
namespace {

Neighbors read_counted(std::string_view bytes, const std::string& file, bool has_distances) {
  constexpr std::size_t header = 2 * sizeof(std::uint32_t);
  if (bytes.size() < header)
    refuse(file, fmt::format("the header needs {} bytes, file holds {}", header, bytes.size()));
  const auto queries = number_at<std::uint32_t>(bytes, 0), k = number_at<std::uint32_t>(bytes, 4);
  const WideSize values = WideSize{queries} * k, need = header + values * (has_distances ? 8 : 4);
  if (need != bytes.size()) {
    const bool is_other = header + values * (has_distances ? 4 : 8) == bytes.size();
    refuse(file,
           fmt::format("{} queries with {} neighbours need {} bytes, file holds {}{}", queries, k, need, bytes.size(),
                       !is_other       ? ""
                       : has_distances ? "; it has ids alone: name it .ibin"
                                       : "; it has distances, too: name it .bin"));
  }
  Neighbors out{queries, k, {}, {}};
  out.ids.resize(static_cast<std::size_t>(values));
  copy_numbers(bytes.substr(header), out.ids);
  if (!has_distances) return out;
  out.distances.resize(out.ids.size());
  copy_numbers(bytes.substr(header + out.ids.size() * 4), out.distances);
  return out;
}

}  // namespace

Neighbors read_bin(std::string_view bytes, const std::string& file) { return read_counted(bytes, file, true); }
Neighbors read_ibin(std::string_view bytes, const std::string& file) { return read_counted(bytes, file, false); }

Neighbors read_ivecs(std::string_view bytes, const std::string& file) {
  if (bytes.empty()) return {};
  constexpr std::size_t header = sizeof(std::int32_t);
  if (bytes.size() < header) refuse(file, fmt::format("a row needs 4 bytes, file holds {}", bytes.size()));
  const auto k = number_at<std::int32_t>(bytes, 0);
  if (k < 0) refuse_byte(file, 0, fmt::format("the first row has {} neighbours", k));
  const std::size_t stride = header + static_cast<std::size_t>(k) * 4, rows = bytes.size() / stride;
  for (std::size_t row = 0; row < rows; ++row)
    if (const auto count = number_at<std::int32_t>(bytes, row * stride); count != k)
      refuse_byte(file, row * stride, fmt::format("row {} has {} neighbours (need {}, as the first)", row, count, k));
  if (rows * stride != bytes.size())
    refuse_byte(file, rows * stride,
                fmt::format("row {} needs {} bytes, file holds {}", rows, stride, bytes.size() - rows * stride));
  Neighbors out{static_cast<std::int64_t>(rows), k, {}, {}};
  out.ids.resize(rows * static_cast<std::size_t>(k));
  if (k > 0)
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(&out.ids[row * static_cast<std::size_t>(k)], &bytes[row * stride + header], stride - header);
  return out;
}

}  // namespace kann::io
