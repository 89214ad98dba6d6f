#include "io/points/table/row_layout.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <variant>

#include "io/files/refusal.hpp"

namespace kann::io {
namespace {

bool are_apart(const RowLayout& layout) {
  return std::ranges::any_of(
      layout.axes, [&](const RowAxis& axis) { return axis.offset + size_of(axis.type) > layout.rows.stride; });
}

bool is_narrow(const RowLayout& layout) {
  return std::ranges::all_of(layout.axes, [](const RowAxis& axis) { return fits_float32(axis.type); });
}

FixedRows part_of(const FixedRows& rows, std::size_t offset, std::uint64_t first, std::uint64_t count) {
  return {rows.begin + offset + static_cast<std::size_t>(first) * rows.stride, count, rows.stride};
}

/// Reads column after column, each where it lies.
template <class T>
Points read_apart(Input& input, const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads) {
  const std::size_t d = layout.axes.size();
  Array<T> out(static_cast<std::size_t>(count) * d);
  for (std::size_t a = 0; a < d; ++a) {
    const RowAxis& axis = layout.axes[a];
    for_each_row_block(input, part_of(layout.rows, axis.offset, first, count), threads,
                       [&](std::uint64_t row, std::size_t n, const char* bytes) {
                         Array<T> column(n);
                         const Column from{axis.type, bytes, layout.rows.stride, axis.order};
                         gather_columns_into({&from, 1}, n, column.data());
                         for (std::size_t i = 0; i < n; ++i) out[(row + i) * d + a] = column[i];
                       });
  }
  return {static_cast<int>(d), std::move(out)};
}

/// Reads rows that each begin with the same number.
Points read_headed(Input& input, const RowLayout& layout, const FixedRows& part, std::uint64_t first, int threads) {
  std::atomic<std::uint64_t> differs{part.rows};  // the first such row, in whatever order blocks are read
  Points points =
      read_fixed_rows(input, part, layout.axes, threads, [&](std::uint64_t row, std::size_t count, const char* bytes) {
        for (std::size_t i = 0; i < count; ++i, bytes += part.stride) {
          if (std::memcmp(bytes, &*layout.row_head, sizeof *layout.row_head) == 0) continue;
          for (std::uint64_t old = differs; row + i < old && !differs.compare_exchange_weak(old, row + i);) continue;
          return;
        }
      });
  if (differs < part.rows)
    refuse_byte(input.name(), part.begin + static_cast<std::size_t>(differs) * part.stride,
                fmt::format("vector {} has another dimension than the first, {}", first + differs, *layout.row_head));
  return points;
}

class LayoutRows : public RowSource {
 public:
  LayoutRows(std::shared_ptr<Input> input, RowLayout layout, int threads)
      : input_(std::move(input)), layout_(std::move(layout)), threads_(threads) {}

  int dimensions() const override { return static_cast<int>(layout_.axes.size()); }
  bool is_float64() const override { return !is_narrow(layout_); }
  std::int64_t size() const override { return static_cast<std::int64_t>(layout_.rows.rows); }
  Points read(std::int64_t first, std::int64_t count) const override {
    return read_layout(*input_, layout_, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                       threads_);
  }

 private:
  std::shared_ptr<Input> input_;
  RowLayout layout_;
  int threads_;
};

}  // namespace

Points read_layout(Input& input, const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads) {
  if (are_apart(layout))
    return is_narrow(layout) ? read_apart<float>(input, layout, first, count, threads)
                             : read_apart<double>(input, layout, first, count, threads);
  const FixedRows part = part_of(layout.rows, 0, first, count);
  if (layout.row_head) return read_headed(input, layout, part, first, threads);
  Points points = read_fixed_rows(input, part, layout.axes, threads);
  if (!layout.is_scaled) return points;
  auto& values = std::get<Array<double>>(points.coordinates);
  const std::size_t d = layout.axes.size();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = values[i] * layout.scale[i % d] + layout.offset[i % d];
  return points;
}

RowCloud row_cloud(std::shared_ptr<Input> input, RowLayout layout, int threads) {
  RowCloud cloud;
  cloud.columns = std::move(layout.columns);
  cloud.warnings = std::move(layout.warnings);
  cloud.rows = std::make_unique<LayoutRows>(std::move(input), std::move(layout), threads);
  return cloud;
}

}  // namespace kann::io
