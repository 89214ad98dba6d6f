#include "formats/neighbors/reference_file.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kann/compare.hpp"
#include "kann/error.hpp"

#include "formats/files/number_at.hpp"
#include "formats/files/refusal.hpp"

namespace kann {
namespace formats {
namespace {

using FindRows = StoredRows (*)(ByteSource& bytes, const std::string& file);

/// What finds the rows in files of the path's extension; null if nothing does.
FindRows find_rows_for(std::string_view path) {
  std::string extension = std::filesystem::path(path).extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (extension == ".npz") return rows_of_npz;
  if (extension == ".npy") return rows_of_npy;
  if (extension == ".bin") return rows_of_bin;
  if (extension == ".ibin") return rows_of_ibin;
  if (extension == ".ivecs") return rows_of_ivecs;
  return nullptr;
}

/// Calls f(row, count, bytes) for parts of the rows from `first` to before `end`. Their bytes begin with the `size`
/// bytes of the first of them, and `stride` bytes later those of the next begin.
template <class F>
void for_each_part(ByteSource& bytes, std::uint64_t begin, std::uint64_t stride, std::uint64_t size, std::int64_t first,
                   std::int64_t end, F f) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
  const auto most = static_cast<std::int64_t>(std::max<std::uint64_t>(1, most_bytes / stride));
  for (std::int64_t row = first; row < end; row += most) {
    const std::int64_t count = std::min(most, end - row);
    f(row, count,
      bytes.at(begin + static_cast<std::uint64_t>(row) * stride,
               static_cast<std::uint64_t>(count - 1) * stride + size));
  }
}

/// Converts the ids of a row.
template <class Stored, class Id>
void convert(std::string_view bytes, std::int64_t row, std::span<Id> ids, const std::string& file) {
  if constexpr (std::is_same_v<Stored, Id>) {
    std::memcpy(ids.data(), bytes.data(), ids.size_bytes());
  } else {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Stored id = number_at<Stored>(bytes, i * sizeof(Stored));
      if (!std::in_range<Id>(id))
        refuse(file, fmt::format("row {} has id {} (ids go to {})", row, id, std::numeric_limits<Id>::max()));
      ids[i] = static_cast<Id>(id);
    }
  }
}

template <class Stored, class Id>
void read_as(ByteSource& bytes, const StoredRows& rows, std::int64_t first, std::span<Id> ids,
             const std::string& file) {
  const auto k = static_cast<std::size_t>(rows.k);
  if (ids.empty()) return;
  const std::int64_t end = first + static_cast<std::int64_t>(ids.size() / k);
  for_each_part(bytes, rows.ids, rows.stride, k * sizeof(Stored), first, end,
                [&](std::int64_t row, std::int64_t count, std::string_view part) {
                  for (std::int64_t i = 0; i < count; ++i)
                    convert<Stored>(part.substr(static_cast<std::size_t>(i) * rows.stride), row + i,
                                    ids.subspan(static_cast<std::size_t>(row + i - first) * k, k), file);
                });
}

template <class Id>
void read_ids_of(ByteSource& bytes, const StoredRows& rows, std::int64_t first, std::span<Id> ids,
                 const std::string& file) {
  switch (rows.id_type) {
    case StoredIdType::int32:
      return read_as<std::int32_t>(bytes, rows, first, ids, file);
    case StoredIdType::uint32:
      return read_as<std::uint32_t>(bytes, rows, first, ids, file);
    case StoredIdType::int64:
      return read_as<std::int64_t>(bytes, rows, first, ids, file);
    case StoredIdType::uint64:
      return read_as<std::uint64_t>(bytes, rows, first, ids, file);
  }
}

}  // namespace

ReferenceFile::ReferenceFile(const std::string& path) {
  const FindRows find_rows = find_rows_for(path);
  if (!find_rows)
    throw Error(ErrorKind::usage, path + ": unknown format of neighbours (need .npz, .npy, .bin, .ibin or .ivecs)");
  is_archive_ = find_rows == rows_of_npz;
  input_ = std::make_unique<Input>(path);
  if (input_->expected_size() > 0)
    bytes_ = std::make_unique<BytesInFile>(*input_);
  else
    bytes_ = std::make_unique<BytesInMemory>(input_->read_all());
  rows_ = find_rows(*bytes_, input_->name());
}

std::string ReferenceFile::meta() { return is_archive_ ? meta_of_npz(*bytes_, input_->name()) : ""; }

void ReferenceFile::read_ids(std::int64_t first, std::span<std::int64_t> ids) {
  read_ids_of(*bytes_, rows_, first, ids, input_->name());
}

void ReferenceFile::read_ids(std::int64_t first, std::span<std::int32_t> ids) {
  read_ids_of(*bytes_, rows_, first, ids, input_->name());
}

void ReferenceFile::read_distances(std::int64_t first, std::span<float> distances) {
  if (distances.empty()) return;
  const std::size_t size = rows_.has_float64_distances ? sizeof(double) : sizeof(float);
  const std::uint64_t row_bytes = static_cast<std::uint64_t>(rows_.k) * size;
  const std::int64_t end = first + std::ssize(distances) / rows_.k;
  for_each_part(*bytes_, *rows_.distances, row_bytes, row_bytes, first, end,
                [&](std::int64_t row, std::int64_t, std::string_view part) {
                  float* const to = distances.data() + (row - first) * rows_.k;
                  if (!rows_.has_float64_distances) return void(std::memcpy(to, part.data(), part.size()));
                  for (std::size_t i = 0; i < part.size() / size; ++i)
                    to[i] = static_cast<float>(number_at<double>(part, i * size));
                });
}

}  // namespace formats

bool can_read_neighbors(std::string_view path) { return formats::find_rows_for(path) != nullptr; }

}  // namespace kann
