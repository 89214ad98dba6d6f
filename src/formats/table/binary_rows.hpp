// Writes rows of binary values, made from columns on several threads, for the points of PLY and LAS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <variant>

#include "kann/cloud_file.hpp"

#include "formats/files/byte_sink.hpp"
#include "formats/table/value_range.hpp"

namespace kann::formats {

/// Writes the value of each of `count` rows, from row `first` on, to its place: rows follow each other from `out` on,
/// `stride` bytes apart, and are zero where nothing has been written. Called on several threads.
using RowColumn = std::function<void(std::int64_t first, std::int64_t count, char* out, std::size_t stride)>;

/// A column at `offset` in the row, whose value in row i is what `value(i)` returns.
template <class Value>
RowColumn row_column(std::size_t offset, Value value) {
  return [offset, value](std::int64_t first, std::int64_t count, char* out, std::size_t stride) {
    for (std::int64_t i = first; i < first + count; ++i, out += stride) {
      const auto bytes = value(i);
      std::memcpy(out + offset, &bytes, sizeof bytes);
    }
  };
}

/// A column of a cloud that comes in blocks: returns its values in one block, which must outlive them.
using CloudColumn = std::function<RowColumn(const CloudBlock& block)>;

/// A column at `offset` with the values of attribute number `attribute`, in their type.
CloudColumn attribute_column(std::size_t offset, std::size_t attribute);

/// The same, times `factor`, as numbers of type Stored: the nearest that it holds.
template <class Stored>
CloudColumn scaled_column(std::size_t offset, std::size_t attribute, double factor = 1) {
  return [=](const CloudBlock& block) -> RowColumn {
    const Attribute& from = block.attributes[attribute];
    if (factor != 1 || (!from.is_whole() && !std::is_floating_point_v<Stored>))
      return row_column(offset, [&from, factor](std::int64_t i) { return nearest_of<Stored>(from.at(i) * factor); });
    return std::visit(
        [=](const auto& values) {
          return row_column(offset, [p = values.data()](std::int64_t i) { return static_cast<Stored>(p[i]); });
        },
        from.values);
  };
}

/// Writes the points of `cloud` as rows of `stride` bytes. They are made in smaller blocks, which stay in a core's
/// cache while the columns are written to them, in their order. Uses up to `threads` threads, as write_made_rows()
/// says;
/// blocks.
/// @param all the number of rows of the whole file
/// @throws Error resources, or what a column throws.
void write_rows(const CloudBlock& cloud, std::int64_t all, std::size_t stride, std::span<const CloudColumn> columns,
                ByteSink& sink, int threads);

}  // namespace kann::formats
