// Values from text, in the ASCII encodings of PLY and PCD, as rows of binary values, for attributes: how many rows
// there are is certain only at the end of the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/attributes.hpp"

#include "formats/table/attributes.hpp"
#include "formats/table/scalar_text.hpp"

namespace kann::formats {

class PackedRows {
 public:
  PackedRows() = default;

  /// @param columns the number of columns of the text
  explicit PackedRows(std::size_t columns) : places_(columns, k_none) {}

  /// Makes set() take the values of a column; to be called before the first row. Does nothing if it has the column.
  void add_column(std::size_t column, ScalarType type) {
    if (has(column)) return;
    places_[column] = columns_.size();
    columns_.push_back({type, stride_});
    stride_ += size_of(type);
    row_.resize(stride_);
  }

  bool has(std::size_t column) const { return places_[column] != k_none; }

  /// Sets the value of the current row.
  NumberFault set(std::size_t column, std::string_view word) {
    const PackedColumn& packed = columns_[places_[column]];
    return parse_to_bytes(packed.type, word, row_.data() + packed.offset);
  }

  void end_row() {
    if (stride_ == 0) return;
    rows_.insert(rows_.end(), row_.begin(), row_.end());
  }

  /// The rows as a binary table: a column's values, or those of `type` at byte `byte` of each.
  Column column(std::size_t column, ScalarType type, std::size_t byte = 0) const {
    const std::size_t offset = columns_[places_[column]].offset + byte;
    return {type, rows_.empty() ? nullptr : rows_.data() + offset, stride_};
  }

  std::size_t count() const { return stride_ == 0 ? 0 : rows_.size() / stride_; }

  /// All columns, in the order in which they were added. @throws Error resources.
  std::vector<Attribute> take(const std::vector<std::string>& names, const std::string& file) const {
    std::vector<Column> all;
    for (const PackedColumn& packed : columns_)
      all.push_back({packed.type, rows_.empty() ? nullptr : rows_.data() + packed.offset, stride_});
    return gather_attributes(names, all, count(), file);
  }

 private:
  static constexpr std::size_t k_none = static_cast<std::size_t>(-1);
  struct PackedColumn {
    ScalarType type;
    std::size_t offset;
  };

  std::vector<std::size_t> places_;  // where in columns_ each column of the text is
  std::vector<PackedColumn> columns_;
  std::size_t stride_ = 0;
  std::vector<char> row_;
  Array<char> rows_;  // grows with the rows in the file, not with a claimed count
};

}  // namespace kann::formats
