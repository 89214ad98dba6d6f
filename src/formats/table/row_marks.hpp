// Rows of a text, some of which are marked, so that a range of them is found without reading what is before it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/threads/copy_threads.hpp"

namespace kann::formats {

/// Where a row begins: blank lines and comments may be before it.
struct RowMark {
  std::uint64_t row = 0, offset = 0;
  std::int64_t lines = 0;  ///< number of lines before it
};

/// The marks of every 4,096th row (6 MB for 10⁹ rows), or of more where rows are long: what is between two marks is
/// read at once.
class RowMarks {
 public:
  /// To be called for all rows, in their order. Returns whether the row is marked.
  bool note(std::uint64_t offset, std::int64_t lines) {
    constexpr std::uint64_t most_rows = 4096, most_bytes = 256 << 10;
    const std::uint64_t row = rows_++;
    if (row > 0 && row - marks_.back().row < most_rows && offset - marks_.back().offset < most_bytes) return false;
    finish(offset);
    marks_.push_back({row, offset, lines});
    return true;
  }

  /// @param offset of the byte after the last row
  void finish(std::uint64_t offset) {
    if (!marks_.empty()) most_bytes_ = std::max(most_bytes_, offset - marks_.back().offset);
    end_ = offset;
  }

  std::uint64_t rows() const { return rows_; }
  const std::vector<RowMark>& marks() const { return marks_; }

  /// The first row after those of a mark, by its number among the marks, and the offset of that row.
  std::pair<std::uint64_t, std::uint64_t> end_of(std::size_t mark) const {
    return mark + 1 < marks_.size() ? std::pair(marks_[mark + 1].row, marks_[mark + 1].offset) : std::pair(rows_, end_);
  }

  /// The numbers of the first mark of these rows, and of the one after their last.
  std::pair<std::size_t, std::size_t> parts_of(std::uint64_t first, std::uint64_t count) const {
    const auto marks_to = [&](std::uint64_t row) {  // how many are at this row or before it
      return static_cast<std::size_t>(std::ranges::upper_bound(marks_, row, {}, &RowMark::row) - marks_.begin());
    };
    return {marks_to(first) - 1, marks_to(first + count - 1)};
  }

  /// The most bytes from a mark to the next.
  std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  std::uint64_t rows_ = 0, end_ = 0, most_bytes_ = 0;
  std::vector<RowMark> marks_;
};

/// The rows from a mark to the next.
struct MarkedPart {
  RowMark begin;
  std::uint64_t end_row, end_offset;
};

/// How many threads for_each_part() uses, at most.
inline std::size_t part_threads(const RowMarks& marks, int threads) {
  return base::copy_threads(marks.marks().size(), threads);
}

/// Calls f(part) for each that has some of rows `first` to `first + count − 1`, of which there is at least one. Uses up
/// to `threads` threads, as in base::copy_threads(); blocks. @throws what f throws.
template <class F>
void for_each_part(const RowMarks& marks, std::uint64_t first, std::uint64_t count, int threads, F&& f) {
  const std::pair<std::size_t, std::size_t> parts = marks.parts_of(first, count);
  const std::size_t n = parts.second - parts.first;
  base::on_threads(n, 1, base::copy_threads(n, threads), [&](std::size_t part, std::size_t) {
    const auto [end_row, end_offset] = marks.end_of(parts.first + part);
    f(MarkedPart{marks.marks()[parts.first + part], end_row, end_offset});
  });
}

}  // namespace kann::formats
