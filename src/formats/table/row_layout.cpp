#include "formats/table/row_layout.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/threads/copy_threads.hpp"
#include "formats/files/refusal.hpp"
#include "formats/table/axes.hpp"

namespace kann::formats {
namespace {

bool are_apart(const RowLayout& layout) {
  return std::ranges::any_of(
      layout.axes, [&](const RowField& axis) { return axis.offset + size_of(axis.type) > layout.rows.stride; });
}

bool is_narrow(const RowLayout& layout) {
  return std::ranges::all_of(layout.axes, [](const RowField& axis) { return fits_float32(axis.value_type()); });
}

FixedRows part_of(const FixedRows& rows, std::size_t offset, std::uint64_t first, std::uint64_t count) {
  return {rows.begin + offset + static_cast<std::size_t>(first) * rows.stride, count, rows.stride};
}

/// Whether rows are nothing but coordinates, in the layout of Points.
bool are_plain(const RowLayout& layout) {
  const ScalarType type = layout.axes[0].type;
  std::size_t end = 0;
  for (const RowField& axis : layout.axes) {
    if (axis.type != type || axis.is_scaled || axis.order != std::endian::native || axis.offset != end) return false;
    end += size_of(type);
  }
  return is_floating(type) && end == layout.rows.stride && !layout.packed;
}

/// Refuses row `row`, in which first_wrong() has found a fault.
[[noreturn]] void refuse_row(const RowLayout& layout, std::uint64_t row) {
  const std::string& file = layout.input->name();
  if (layout.row_head)
    refuse_byte(file, layout.rows.begin + static_cast<std::size_t>(row) * layout.rows.stride,
                fmt::format("vector {} has another dimension than the first, {}", row, *layout.row_head));
  refuse(layout.file.empty() ? file : layout.file,
         fmt::format("row {} has a whole number past 2^53, which float64 does not hold exactly", row));
}

/// The first of `count` rows at `bytes` that cannot be read; `count` if all can.
std::size_t first_wrong(const RowLayout& layout, const char* bytes, std::size_t count) {
  std::size_t first = count;
  const std::size_t stride = layout.rows.stride;
  if (layout.row_head)
    for (std::size_t i = 0; i < first; ++i)
      if (std::memcmp(bytes + i * stride, &*layout.row_head, sizeof *layout.row_head) != 0) first = i;
  for (const RowField& axis : layout.axes)
    first = first_inexact_row({axis.type, bytes + axis.offset, stride, axis.order}, first).value_or(first);
  return first;
}

/// An array for the coordinates of `count` points.
template <class T>
Array<T> make_coordinates(const RowLayout& layout, std::uint64_t count) {
  const std::size_t d = layout.axes.size();
  base::check_host_memory(static_cast<double>(count) * static_cast<double>(d * sizeof(T)),
                          layout.input->name().c_str());
  return Array<T>(static_cast<std::size_t>(count) * d);
}

/// Reads column after column, each where it lies.
template <class T>
Array<T> read_apart(const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads) {
  const std::size_t d = layout.axes.size();
  auto out = make_coordinates<T>(layout, count);
  std::atomic<std::uint64_t> wrong{count};
  for (std::size_t a = 0; a < d; ++a) {
    const RowField& axis = layout.axes[a];
    for_each_row_block(*layout.input, part_of(layout.rows, axis.offset, first, count), threads,
                       [&](std::uint64_t row, std::size_t n, const char* bytes) {
                         Array<T> column(n);
                         const Column from{axis.type, bytes, layout.rows.stride, axis.order};
                         if (const auto inexact = first_inexact_row(from, n)) lower_to(wrong, row + *inexact);
                         gather_columns_into({&from, 1}, n, column.data());
                         for (std::size_t i = 0; i < n; ++i) out[(row + i) * d + a] = column[i];
                       });
  }
  if (wrong < count) refuse_row(layout, first + wrong);
  return out;
}

/// Copies the coordinates of `count` rows that begin at `bytes`. Either all axes are scaled, or none is.
template <class T>
void gather_axes(std::span<const RowField> axes, const char* bytes, std::size_t stride, std::size_t count, T* out) {
  constexpr std::size_t block = 1024;  // rows; they stay in the cache until they are scaled
  const std::size_t d = axes.size(), step = axes[0].is_scaled ? block : count;
  for (std::size_t first = 0; first < count; first += step) {
    const std::size_t rows = std::min(step, count - first);
    std::array<Column, 3> columns{};
    for (std::size_t a = 0; a < d; ++a)
      columns[a] = {axes[a].type, bytes + first * stride + axes[a].offset, stride, axes[a].order};
    T* const to = out + first * d;
    gather_columns_into(std::span(columns).first(d), rows, to);
    for (std::size_t a = 0; a < d; ++a) {
      const double scale = axes[a].scale, shift_by = axes[a].shift_by;
      if (!axes[a].is_scaled) continue;
      for (std::size_t i = a; i < rows * d; i += d) to[i] = static_cast<T>(to[i] * scale + shift_by);
    }
  }
}

/// Reads the coordinates of rows. `look`, if there is one, sees every block, too.
template <class T>
Array<T> read_rows(const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads,
                   const RowBytes& look) {
  const std::size_t d = layout.axes.size(), stride = layout.rows.stride;
  auto out = make_coordinates<T>(layout, count);
  if (!look && are_plain(layout)) {
    layout.input->read_into(layout.rows.begin + static_cast<std::size_t>(first) * stride,
                            std::as_writable_bytes(std::span(out)), threads);
    return out;
  }
  std::atomic<std::uint64_t> wrong{count};
  const RowBytes take = [&](std::uint64_t row, std::size_t n, const char* bytes) {
    if (const std::size_t place = first_wrong(layout, bytes, n); place < n) lower_to(wrong, row + place);
    if (look) look(row, n, bytes);
    gather_axes(layout.axes, bytes, stride, n, out.data() + row * d);
  };
  if (layout.packed)
    layout.packed->for_each_block(*layout.input, first, count, threads, take);
  else
    for_each_row_block(*layout.input, part_of(layout.rows, 0, first, count), threads, take);
  if (wrong < count) refuse_row(layout, first + wrong);
  return out;
}

template <class T>
Array<T> read_as(const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads, const RowBytes& look) {
  if (are_apart(layout)) return read_apart<T>(layout, first, count, threads);
  return read_rows<T>(layout, first, count, threads, look);
}

Points read_points(const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads,
                   const RowBytes& look = {}) {
  const int d = static_cast<int>(layout.axes.size());
  return is_narrow(layout) ? Points{d, read_as<float>(layout, first, count, threads, look)}
                           : Points{d, read_as<double>(layout, first, count, threads, look)};
}

Points no_points(const RowLayout& layout) {
  const int d = static_cast<int>(layout.axes.size());
  return is_narrow(layout) ? Points{d, Array<float>()} : Points{d, Array<double>()};
}

RowLayout located(RowLayout layout) {
  if (const auto locate = std::exchange(layout.locate, nullptr)) locate(layout);
  return layout;
}

/// A copy with room for so many records. @throws Error resources.
std::shared_ptr<LasRecords> records_for(const LasRecords& without_records, std::size_t count, const std::string& file) {
  base::check_host_memory(static_cast<double>(count) * static_cast<double>(without_records.record_bytes), file.c_str());
  auto las = std::make_shared<LasRecords>(without_records);
  las->records.resize(count * las->record_bytes);
  return las;
}

/// Sets the attributes where columns lie apart: they are axes.
void copy_axes(const RowLayout& layout, Cloud& cloud) {
  const PointsView points = cloud.points;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const auto axis = std::ranges::find(layout.axes, layout.fields[i].offset, &RowField::offset) - layout.axes.begin();
    std::visit(
        [&]<class T>(Array<T>& values) {
          for (std::size_t row = 0; row < values.size(); ++row)
            values[row] = static_cast<T>(points.at(static_cast<std::int64_t>(row), static_cast<int>(axis)));
        },
        cloud.attributes[i].values);
  }
}

/// Points `first` to `first + count − 1` of a layout that is located, with their attributes and LAS records.
/// @throws Error bad_input (as for_each_row_block(); the first row that has another head, or a coordinate that is a
///         whole number which float64 does not hold), resources.
Cloud read_layout(const RowLayout& layout, std::uint64_t first, std::uint64_t count, int threads) {
  const auto rows = static_cast<std::size_t>(count), stride = layout.rows.stride;
  Cloud cloud = with_rows(layout.without_rows, rows, layout.input->name());
  const auto las = cloud.las ? records_for(*cloud.las, rows, layout.input->name()) : nullptr;
  RowBytes look;
  if (las || !layout.fields.empty())
    look = [&](std::uint64_t row, std::size_t n, const char* bytes) {
      for (std::size_t i = 0; i < layout.fields.size(); ++i)
        gather_field(layout.fields[i], bytes, stride, n, cloud.attributes[i].values, static_cast<std::size_t>(row));
      if (las && n > 0) std::memcpy(las->records.data() + row * stride, bytes, n * stride);
    };
  cloud.points = read_points(layout, first, count, threads, look);
  if (are_apart(layout)) copy_axes(layout, cloud);
  cloud.las = las;
  return cloud;
}

class LayoutRows : public RowSource {
 public:
  LayoutRows(RowLayout layout, int threads) : layout_(std::move(layout)), threads_(threads) {}

  std::int64_t size() const override { return static_cast<std::int64_t>(layout_.rows.rows); }
  const Cloud& without_rows() const override { return layout_.without_rows; }

  Points read_points(std::int64_t first, std::int64_t count) const override {
    return formats::read_points(layout_, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                                threads_);
  }

  /// Coordinates alone go straight into their array. Else a thread has a block of the file; of columns that lie apart,
  /// also the numbers of a block, of 8 bytes at most.
  double buffer_bytes() const override {
    if (layout_.packed) return layout_.packed->buffer_bytes(threads_);
    if (are_plain(layout_) && layout_.fields.empty() && !layout_.without_rows.las) return 0;
    const auto rows = static_cast<std::size_t>(layout_.rows.rows);
    const double all = static_cast<double>(rows) * static_cast<double>(layout_.rows.stride);
    const double blocks = static_cast<double>(base::copy_threads(rows, threads_)) * row_block_bytes(layout_.rows);
    return std::min(all, blocks) * (are_apart(layout_) ? 9 : 1);
  }

  Cloud read(std::int64_t first, std::int64_t count) const override {
    return read_layout(layout_, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), threads_);
  }

 private:
  RowLayout layout_;
  int threads_;
};

}  // namespace

void RowLayout::add_attribute(std::string name, const RowField& field) {
  without_rows.attributes.push_back({std::move(name), make_values(field.value_type(), 0)});
  fields.push_back(field);
}

void RowLayout::add_coordinates(const ReadRequest& options, const std::string& name) {
  for (const std::string& asked : options.attributes)
    if (const auto choice = parse_column_choice(asked); choice && choice->number > 0)
      refuse(name, fmt::format("no attribute {}: the columns of this array have no names, and are coordinates alone",
                               quote(asked)));
  std::vector<AttributeColumn> table;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) table.push_back({std::string(1, "xyz"[axis]), {}, true});
  const ChosenAttributes chosen = chosen_attributes("coordinate", table, {}, options, name, without_rows.warnings);
  for (const std::size_t axis : chosen.columns) add_attribute(table[axis].name, axes[axis]);
  chosen.describe(without_rows);
}

CloudEstimate FixedTable::estimate() const {
  return {static_cast<std::int64_t>(layout_.rows.rows), static_cast<int>(layout_.axes.size()), !is_narrow(layout_),
          layout_.held_bytes};
}

RowsInHead FixedTable::in_head() const {
  RowsInHead head{!layout_.is_estimate, !layout_.obstacle.empty() || (!layout_.locate && !layout_.lines)};
  if (layout_.is_estimate) return head;
  head.described = layout_.without_rows;
  head.described->points = no_points(layout_);
  return head;
}

RowCloud FixedTable::rows() const {
  if (!layout_.obstacle.empty()) return {.obstacle = layout_.obstacle};
  RowLayout layout = located(layout_);
  RowCloud cloud{.warnings = std::exchange(layout.without_rows.warnings, {})};
  if (layout.lines)
    layout.packed = marked_lines(*layout.input, *layout.lines, layout.rows.rows, layout.rows.stride, cloud.warnings);
  layout.without_rows.points = no_points(layout);
  cloud.rows = std::make_unique<LayoutRows>(std::move(layout), threads_);
  return cloud;
}

Cloud FixedTable::read() const {
  RowLayout layout = located(layout_);
  std::vector<std::string> warnings;
  if (layout.lines) layout.packed = lines_once(*layout.lines, layout.rows.stride, warnings);
  Cloud cloud = read_layout(layout, 0, layout.rows.rows, threads_);
  std::ranges::move(warnings, std::back_inserter(cloud.warnings));
  return cloud;
}

}  // namespace kann::formats
