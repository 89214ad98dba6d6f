#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>

#include "formats/files/refusal.hpp"
#include "formats/table/lines.hpp"
#include "formats/text/text_reader.hpp"
#include "formats/text/text_rows.hpp"

namespace kann::formats {
namespace {

constexpr const char* k_changed = "changed while it was read";

/// Copies values `begin` to `begin + count − 1` of each of `some` to index `at` on of those of `all`.
void copy_values(const std::vector<Attribute>& some, std::size_t begin, std::size_t count, std::vector<Attribute>& all,
                 std::size_t at, const std::string& file) {
  for (std::size_t i = 0; i < all.size(); ++i)
    std::visit(
        [&](auto& to) {
          const auto* const from = std::get_if<std::remove_reference_t<decltype(to)>>(&some[i].values);
          if (!from) refuse(file, k_changed);
          std::copy_n(from->data() + begin, count, to.data() + at);
        },
        all[i].values);
}

class TextRanges final : public RowSource {
 public:
  TextRanges(std::shared_ptr<Input> input, TextLayout layout, RowMarks marks, Cloud without_rows, TextAttributes known,
             int threads)
      : input_(std::move(input)),
        layout_(std::move(layout)),
        marks_(std::move(marks)),
        without_rows_(std::move(without_rows)),
        known_(std::move(known)),
        threads_(threads) {
    without_rows_.points = {static_cast<int>(layout_.axes.size()), Array<double>()};
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(marks_.rows()); }
  const Cloud& without_rows() const override { return without_rows_; }

  /// A thread has the text of a part and its points; of each attribute, the values as rows and as columns, which take 8
  /// bytes at most where the text takes 2.
  double buffer_bytes() const override {
    const double most = static_cast<double>(marks_.most_bytes());
    return static_cast<double>(part_threads(marks_, threads_)) *
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
    const auto d = static_cast<std::size_t>(dimensions());
    const std::string& file = input_->name();
    Array<double> out(static_cast<std::size_t>(count) * d);
    if (count == 0) return {dimensions(), std::move(out)};
    const auto [first_part, end_part] = marks_.parts_of(first, count);
    const std::uint64_t begin = marks_.marks()[first_part].offset, end = marks_.end_of(end_part - 1).second;
    std::shared_ptr<Texts> texts;  // of spelled columns: where these lie in the file
    for (Attribute& attribute : attributes ? std::span(*attributes) : std::span<Attribute>())
      if (attribute.texts && attribute.texts->row_bytes > 0) {
        if (!texts) texts = std::make_shared<Texts>(Texts{{}, 0, attribute.texts->row_bytes});
        attribute.texts = texts;
      }
    if (texts) {
      base::check_host_memory(static_cast<double>(end - begin), file.c_str());
      texts->bytes.resize(static_cast<std::size_t>(end - begin));
    }
    for_each_part(marks_, first, count, threads_, [&](const MarkedPart& part) {
      const RowMark& mark = part.begin;
      const auto size = static_cast<std::size_t>(part.end_offset - mark.offset);
      const auto text_begin = static_cast<std::size_t>(mark.offset - begin);
      Array<char> own(texts ? 0 : size);
      const std::span<char> bytes(texts ? texts->bytes.data() + text_begin : own.data(), size);
      input_->read_range(static_cast<std::size_t>(mark.offset), std::as_writable_bytes(bytes));

      TextAttributes read = attributes ? known_ : TextAttributes();
      const std::string_view text(bytes.data(), size);
      read.begin_part(text, text_begin);
      Lines lines(text, mark.lines);
      TextRows rows(layout_, file);
      std::array<double, 3> point{};
      const std::uint64_t last = std::min(part.end_row, first + count);
      for (std::uint64_t row = mark.row; row < last; ++row) {
        if (!rows.next(lines)) refuse(file, k_changed);
        rows.read(point, read);
        if (row >= first) std::copy_n(point.begin(), d, out.data() + (row - first) * d);
      }
      if (!attributes) return;
      Cloud cloud;
      read.move_to(cloud);
      const std::uint64_t from = std::max(mark.row, first);
      copy_values(cloud.attributes, from - mark.row, last - from, *attributes, from - first, file);
    });
    return {dimensions(), std::move(out)};
  }

  const std::shared_ptr<Input> input_;
  const TextLayout layout_;
  const RowMarks marks_;
  Cloud without_rows_;
  const TextAttributes known_;
  const int threads_;
};

}  // namespace

std::unique_ptr<RowSource> text_ranges(std::shared_ptr<Input> input, TextLayout layout, RowMarks marks,
                                       Cloud without_rows, TextAttributes known, int threads) {
  return std::make_unique<TextRanges>(std::move(input), std::move(layout), std::move(marks), std::move(without_rows),
                                      std::move(known), threads);
}

}  // namespace kann::formats
