#include "formats/table/marked_rows.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <variant>

#include "formats/files/refusal.hpp"

namespace kann::formats {

void for_each_marked(const Input& input, const RowMarks& marks, std::uint64_t first, std::uint64_t count, int threads,
                     const std::function<void(const MarkedPart&)>& f) {
  if (count == 0) return;
  const std::vector<RowMark>& all = marks.marks();
  const auto marks_to = [&](std::uint64_t row) {  // how many are at this row or before it
    return static_cast<std::size_t>(std::ranges::upper_bound(all, row, {}, &RowMark::row) - all.begin());
  };
  const std::size_t begin = marks_to(first) - 1, end = marks_to(first + count - 1);
  base::on_threads(end - begin, 1, base::copy_threads(end - begin, threads), [&](std::size_t part, std::size_t) {
    const RowMark& mark = all[begin + part];
    const auto [end_row, end_offset] = marks.end_of(begin + part);
    Array<char> bytes(static_cast<std::size_t>(end_offset - mark.offset));
    input.read_range(static_cast<std::size_t>(mark.offset), std::as_writable_bytes(std::span(bytes)));
    f({mark.row, end_row, {bytes.data(), bytes.size()}, mark.lines});
  });
}

void copy_values(const std::vector<Attribute>& some, std::size_t begin, std::size_t count, std::vector<Attribute>& all,
                 std::size_t at, const std::string& file) {
  for (std::size_t i = 0; i < all.size(); ++i)
    std::visit(
        [&](auto& to) {
          const auto* const from = std::get_if<std::remove_reference_t<decltype(to)>>(&some[i].values);
          if (!from) refuse(file, "changed while it was read");
          std::copy_n(from->data() + begin, count, to.data() + at);
        },
        all[i].values);
}

}  // namespace kann::formats
