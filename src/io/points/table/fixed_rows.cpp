#include "io/points/table/fixed_rows.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "io/files/refusal.hpp"

namespace kann::io {
namespace {

constexpr std::size_t k_block_bytes = std::size_t{1} << 20;  // the buffer of a thread

template <class T>
Points read_as(Input& input, const FixedRows& rows, std::span<const RowAxis> axes, int threads, const RowBlock& look) {
  const std::size_t d = axes.size();
  check_large_allocation(static_cast<double>(rows.rows) * static_cast<double>(d * sizeof(T)), input.name());
  Array<T> out(static_cast<std::size_t>(rows.rows) * d);
  for_each_row_block(input, rows, threads, [&](std::uint64_t first, std::size_t count, const char* bytes) {
    if (look) look(first, count, bytes);
    std::array<Column, 3> columns{};
    for (std::size_t a = 0; a < d; ++a) columns[a] = {axes[a].type, bytes + axes[a].offset, rows.stride, axes[a].order};
    gather_columns_into(std::span(columns).first(d), count, out.data() + first * d);
  });
  return {static_cast<int>(d), std::move(out)};
}

}  // namespace

void check_row_count(Input& input, const FixedRows& rows) {
  const std::size_t size = input.total_size();
  const std::size_t left = size - std::min(size, rows.begin);
  const WideSize need = WideSize{rows.rows} * rows.stride;
  if (need > left)
    refuse(input.name(), fmt::format("point count {} needs {} bytes, file holds {}", rows.rows, need, left));
}

void for_each_row_block(Input& input, const FixedRows& rows, int threads, const RowBlock& f) {
  const std::size_t per_block = std::max<std::size_t>(1, k_block_bytes / rows.stride);
  input.for_each_block(rows.begin, static_cast<std::size_t>(rows.rows) * rows.stride, per_block * rows.stride, threads,
                       [&](std::size_t offset, std::string_view bytes) {
                         f(offset / rows.stride, bytes.size() / rows.stride, bytes.data());
                       });
}

Points read_fixed_rows(Input& input, const FixedRows& rows, std::span<const RowAxis> axes, int threads,
                       const RowBlock& look) {
  check_row_count(input, rows);
  const bool narrow = std::ranges::all_of(axes, [](const RowAxis& axis) { return fits_float32(axis.type); });
  return narrow ? read_as<float>(input, rows, axes, threads, look) : read_as<double>(input, rows, axes, threads, look);
}

}  // namespace kann::io
