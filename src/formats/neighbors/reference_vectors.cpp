// The formats of the benchmarks of nearest neighbours: bin, ibin and ivecs.
#include <fmt/format.h>

#include "formats/files/number_at.hpp"
#include "formats/files/refusal.hpp"
#include "formats/neighbors/stored_rows.hpp"

namespace kann::formats {
namespace {

StoredRows rows_of_counted(ByteSource& bytes, const std::string& file, bool has_distances) {
  constexpr std::size_t header = 2 * sizeof(std::uint32_t);
  if (bytes.size() < header)
    refuse(file, fmt::format("the header needs {} bytes, file holds {}", header, bytes.size()));
  const std::string_view head = bytes.at(0, header);
  const auto queries = number_at<std::uint32_t>(head, 0), k = number_at<std::uint32_t>(head, 4);
  const WideSize values = WideSize{queries} * k, need = header + values * (has_distances ? 8 : 4);
  if (need != bytes.size()) {
    const bool is_other = header + values * (has_distances ? 4 : 8) == bytes.size();
    refuse(file,
           fmt::format("{} queries with {} neighbours need {} bytes, file holds {}{}", queries, k, need, bytes.size(),
                       !is_other       ? ""
                       : has_distances ? "; it has ids alone: name it .ibin"
                                       : "; it has distances, too: name it .bin"));
  }
  StoredRows rows{.queries = queries, .k = k, .ids = header, .stride = std::uint64_t{k} * 4};
  if (has_distances) rows.distances = static_cast<std::uint64_t>(header + values * 4);
  return rows;
}

}  // namespace

StoredRows rows_of_bin(ByteSource& bytes, const std::string& file) { return rows_of_counted(bytes, file, true); }
StoredRows rows_of_ibin(ByteSource& bytes, const std::string& file) { return rows_of_counted(bytes, file, false); }

StoredRows rows_of_ivecs(ByteSource& bytes, const std::string& file) {
  if (bytes.size() == 0) return {};
  constexpr std::size_t header = sizeof(std::int32_t);
  if (bytes.size() < header) refuse(file, fmt::format("a row needs 4 bytes, file holds {}", bytes.size()));
  const auto k = number_at<std::int32_t>(bytes.at(0, header), 0);
  if (k < 0) refuse_byte(file, 0, fmt::format("the first row has {} neighbours", k));
  const std::size_t stride = header + static_cast<std::size_t>(k) * 4, rows = bytes.size() / stride;
  for (std::size_t row = 0; row < rows; ++row)
    if (const auto count = number_at<std::int32_t>(bytes.at(row * stride, header), 0); count != k)
      refuse_byte(file, row * stride, fmt::format("row {} has {} neighbours (need {}, as the first)", row, count, k));
  if (rows * stride != bytes.size())
    refuse_byte(file, rows * stride,
                fmt::format("row {} needs {} bytes, file holds {}", rows, stride, bytes.size() - rows * stride));
  return {.queries = static_cast<std::int64_t>(rows), .k = k, .ids = header, .stride = stride};
}

}  // namespace kann::formats
