#include "formats/table/fixed_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <variant>

#include "formats/files/refusal.hpp"

namespace kann::formats {
namespace {

/// The buffer of a thread has as many rows as this holds, or one.
constexpr std::size_t k_block_bytes = std::size_t{1} << 20;

std::size_t block_rows(const FixedRows& rows) { return std::max<std::size_t>(1, k_block_bytes / rows.stride); }

}  // namespace

double row_block_bytes(const FixedRows& rows) {
  return static_cast<double>(std::min<std::uint64_t>(rows.rows, block_rows(rows)) * rows.stride);
}

void check_row_count(Input& input, const FixedRows& rows) {
  const std::size_t size = input.total_size();
  const std::size_t left = size - std::min(size, rows.begin);
  const WideSize need = WideSize{rows.rows} * rows.stride;
  if (need > left)
    refuse(input.name(), fmt::format("point count {} needs {} bytes, file holds {}", rows.rows, need, left));
}

void for_each_row_block(Input& input, const FixedRows& rows, int threads, const RowBytes& f) {
  const std::size_t per_block = block_rows(rows);
  input.for_each_block(rows.begin, static_cast<std::size_t>(rows.rows) * rows.stride, per_block * rows.stride, threads,
                       [&](std::size_t offset, std::string_view bytes) {
                         f(offset / rows.stride, bytes.size() / rows.stride, bytes.data());
                       });
}

void gather_field(const RowField& field, const char* bytes, std::size_t stride, std::size_t count,
                  AttributeValues& values, std::size_t first) {
  const Column column{field.type, bytes + field.offset, stride, field.order};
  if (field.is_scaled) {
    AttributeValues stored = make_values(field.type, count);
    gather_values(column, count, stored, 0);
    double* const out = std::get<Array<double>>(values).data() + first;
    std::visit(
        [&](const auto& raw) {
          for (std::size_t i = 0; i < count; ++i) {
            const auto number = static_cast<double>(raw[i]);
            out[i] =
                number == field.nan ? std::numeric_limits<double>::quiet_NaN() : number * field.scale + field.shift_by;
          }
        },
        stored);
    return;
  }
  gather_values(column, count, values, first);
  if (field.nan)
    std::visit(
        [&]<class T>(Array<T>& all) {
          const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
          std::replace(begin, begin + static_cast<std::ptrdiff_t>(count), static_cast<T>(*field.nan),
                       std::numeric_limits<T>::quiet_NaN());
        },
        values);
  if (field.bits == 0) return;
  std::uint8_t* const out = std::get<Array<std::uint8_t>>(values).data() + first;
  for (std::size_t i = 0; i < count; ++i)
    out[i] = static_cast<std::uint8_t>(out[i] >> field.shift & ((1u << field.bits) - 1));
}

}  // namespace kann::formats
