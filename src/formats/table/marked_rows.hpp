// Rows of a text, some of which are marked, so that a range of them is found without reading what is before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kann/io.hpp"

#include "base/threads/copy_threads.hpp"
#include "formats/files/input.hpp"
#include "formats/table/lines.hpp"
#include "formats/table/row_source.hpp"

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
  std::uint64_t first, end;  ///< rows
  std::string_view bytes;
  std::size_t begin;   ///< of these among the bytes of all parts
  std::int64_t lines;  ///< before them
};

/// Calls f() for each part that has some of rows `first` to `first + count − 1`. Uses up to `threads` threads, as in
/// base::copy_threads(); blocks. @throws Error bad_input (read error, the file shrank), resources, or what f throws.
/// @param all null, or what the bytes of all parts are kept in
void for_each_marked(const Input& input, const RowMarks& marks, std::uint64_t first, std::uint64_t count, int threads,
                     Array<char>* all, const std::function<void(const MarkedPart&)>& f);

/// Reads the first `count` rows of a part to `points`, and sets `attributes` to those of these rows, unless it is null;
/// for any thread. @throws Error bad_input, with the line.
template <class T>
using ParseRows =
    std::function<void(const MarkedPart& part, std::uint64_t count, T* points, std::vector<Attribute>* attributes)>;

/// Copies values `begin` to `begin + count − 1` of each of `some` to index `at` on of those of `all`.
/// @throws Error bad_input if they are of another type: `file` has changed.
void copy_values(const std::vector<Attribute>& some, std::size_t begin, std::size_t count, std::vector<Attribute>& all,
                 std::size_t at, const std::string& file);

/// T is the type of the coordinates, float or double.
template <class T>
class MarkedRows : public RowSource {
 public:
  /// @param without_rows all of the cloud but its rows, its points and its warnings
  MarkedRows(std::shared_ptr<Input> input, RowMarks marks, Cloud without_rows, int dimensions, int threads,
             ParseRows<T> parse)
      : input_(std::move(input)),
        marks_(std::move(marks)),
        without_rows_(std::move(without_rows)),
        threads_(threads),
        parse_(std::move(parse)) {
    without_rows_.points = {dimensions, Array<T>()};
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(marks_.rows()); }
  const Cloud& without_rows() const override { return without_rows_; }

  /// A thread has the text of a part and its points; of each attribute, the values as rows and as columns, which take 8
  /// bytes at most where the text takes 2.
  double buffer_bytes() const override {
    const double most = static_cast<double>(marks_.most_bytes());
    return static_cast<double>(base::copy_threads(marks_.marks().size(), threads_)) *
           (without_rows_.attributes.empty() ? 2 * most : 10 * most);
  }

  Points read_points(std::int64_t first, std::int64_t count) const override {
    return read_range(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count), nullptr);
  }

  Cloud read(std::int64_t first, std::int64_t count) const override {
    Cloud cloud = with_rows(without_rows_, static_cast<std::size_t>(count), input_->name());
    cloud.points = read_range(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(count),
                              cloud.attributes.empty() ? nullptr : &cloud.attributes);
    return cloud;
  }

 private:
  /// Reads points, and fills `attributes`, which have room for them, unless it is null.
  Points read_range(std::uint64_t first, std::uint64_t count, std::vector<Attribute>* attributes) const {
    const std::uint64_t end = first + count;
    const auto d = static_cast<std::size_t>(dimensions());
    Array<T> out(static_cast<std::size_t>(count) * d);
    std::shared_ptr<Texts> texts;  // of spelled columns: where these lie in the file
    for (Attribute& attribute : attributes ? std::span(*attributes) : std::span<Attribute>())
      if (attribute.texts && attribute.texts->row_bytes > 0) {
        if (!texts) texts = std::make_shared<Texts>(Texts{{}, 0, attribute.texts->row_bytes});
        attribute.texts = texts;
      }
    for_each_marked(*input_, marks_, first, count, threads_, texts ? &texts->bytes : nullptr,
                    [&](const MarkedPart& part) {
                      const std::uint64_t row = part.first, here = std::min(part.end, end) - row;
                      const std::uint64_t before = first > row ? first - row : 0;
                      Array<T> points(static_cast<std::size_t>(here) * d);
                      std::vector<Attribute> some;
                      parse_(part, here, points.data(), attributes ? &some : nullptr);
                      std::copy(points.begin() + static_cast<std::ptrdiff_t>(before * d), points.end(),
                                out.data() + (row + before - first) * d);
                      if (attributes)
                        copy_values(some, before, here - before, *attributes, row + before - first, input_->name());
                    });
    return {dimensions(), std::move(out)};
  }

  std::shared_ptr<Input> input_;
  RowMarks marks_;
  Cloud without_rows_;
  int threads_;
  ParseRows<T> parse_;
};

}  // namespace kann::formats
