#include "formats/table/line_rows.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "formats/files/file_window.hpp"
#include "formats/files/refusal.hpp"

namespace kann::formats {
namespace {

/// Reads all of `count` rows, in blocks, with the lines before and after them. Memory is that of a block.
/// @param marks null, or becomes where rows are
/// @param f     may be empty
void read_lines(Input& input, const LineBody& body, std::uint64_t count, std::size_t stride, RowMarks* marks,
                const RowBytes& f, std::vector<std::string>& warnings) {
  constexpr std::uint64_t most_rows = 4096, rows_between_reports = 65536;  // megabytes
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  const std::uint64_t block = f ? std::clamp<std::uint64_t>(most_bytes / stride, 1, most_rows) : 1;
  Array<char> rows(static_cast<std::size_t>(block) * stride);
  FileLines lines(input, body.begin, body.lines, input.size());
  body.reader->read_before(lines);
  for (std::uint64_t row = 0; row < count; ++row) {
    if (marks) marks->note(body.begin + lines.offset(), lines.number());
    const std::uint64_t place = row % block;
    body.reader->read_row(lines, row, rows.data() + place * stride);
    if (f && (place + 1 == block || row + 1 == count)) f(row - place, static_cast<std::size_t>(place + 1), rows.data());
    if (row % rows_between_reports == 0) input.progress().set(body.begin + lines.offset());
  }
  if (marks) marks->finish(body.begin + lines.offset());
  body.reader->read_after(lines);
  const std::size_t end = body.begin + lines.offset();
  input.progress().set(end);
  if (!holds_only(input, end, body.blanks))
    warnings.push_back(rest_warning(input.name(), input.size() - end, body.last));
}

class LinesOnce final : public PackedRowSource {
 public:
  LinesOnce(LineBody body, std::size_t stride, std::vector<std::string>& warnings)
      : body_(std::move(body)), stride_(stride), warnings_(warnings) {}

  void for_each_block(Input& input, std::uint64_t, std::uint64_t count, int, const RowBytes& f) const override {
    read_lines(input, body_, count, stride_, nullptr, f, warnings_);
  }
  double buffer_bytes(int) const override { return 0; }

 private:
  const LineBody body_;
  const std::size_t stride_;
  std::vector<std::string>& warnings_;
};

class MarkedLines final : public PackedRowSource {
 public:
  MarkedLines(LineBody body, RowMarks marks, std::size_t stride)
      : body_(std::move(body)), marks_(std::move(marks)), stride_(stride) {}

  void for_each_block(Input& input, std::uint64_t first, std::uint64_t count, int threads,
                      const RowBytes& f) const override {
    if (count == 0) return;
    for_each_part(marks_, first, count, threads, [&](const MarkedPart& part) {
      const std::uint64_t row = part.begin.row, here = std::min(part.end_row, first + count) - row;
      const std::uint64_t before = first > row ? first - row : 0;
      FileLines lines(input, static_cast<std::size_t>(part.begin.offset), part.begin.lines,
                      static_cast<std::size_t>(part.end_offset));
      Array<char> rows(static_cast<std::size_t>(here) * stride_);
      for (std::uint64_t i = 0; i < here; ++i) body_.reader->read_row(lines, row + i, rows.data() + i * stride_);
      f(row + before - first, static_cast<std::size_t>(here - before), rows.data() + before * stride_);
    });
  }

  /// A thread has the text of a part, and its rows, whose values take 8 bytes at most where the text takes 2.
  double buffer_bytes(int threads) const override {
    return static_cast<double>(part_threads(marks_, threads)) * 5 * static_cast<double>(marks_.most_bytes());
  }

 private:
  const LineBody body_;
  const RowMarks marks_;
  const std::size_t stride_;
};

}  // namespace

std::pair<std::int64_t, std::int64_t> integer_range(ScalarType type) {
  const int bits = static_cast<int>(8 * size_of(type));
  const bool is_signed = type == ScalarType::int8 || type == ScalarType::int16 || type == ScalarType::int32;
  if (is_signed) return {-(std::int64_t{1} << (bits - 1)), (std::int64_t{1} << (bits - 1)) - 1};
  return {0, (std::int64_t{1} << bits) - 1};
}

NumberFault parse_to_bytes(ScalarType type, std::string_view word, char* out) {
  return with_type(type, [&]<class T>(T value) {
    NumberFault fault = NumberFault::none;
    std::int64_t whole = 0;
    if constexpr (std::is_floating_point_v<T>) {
      fault = parse_number(word, value);
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
      fault = parse_count(word, value);
    } else {
      fault = parse_whole(word, whole);
      if (fault == NumberFault::none && !std::in_range<T>(whole)) fault = NumberFault::out_of_range;
      value = static_cast<T>(whole);
    }
    std::memcpy(out, &value, sizeof value);
    return fault;
  });
}

std::shared_ptr<const PackedRowSource> lines_once(LineBody body, std::size_t stride,
                                                  std::vector<std::string>& warnings) {
  return std::make_shared<LinesOnce>(std::move(body), stride, warnings);
}

std::shared_ptr<const PackedRowSource> marked_lines(Input& input, LineBody body, std::uint64_t count,
                                                    std::size_t stride, std::vector<std::string>& warnings) {
  RowMarks marks;
  read_lines(input, body, count, stride, &marks, {}, warnings);
  return std::make_shared<MarkedLines>(std::move(body), std::move(marks), stride);
}

}  // namespace kann::formats
