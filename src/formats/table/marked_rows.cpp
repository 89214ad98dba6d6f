#include "formats/table/marked_rows.hpp"

#include <algorithm>
#include <span>
#include <type_traits>
#include <variant>

#include "formats/files/refusal.hpp"

namespace kann::formats {

void for_each_marked(const Input& input, const RowMarks& marks, std::uint64_t first, std::uint64_t count, int threads,
                     Array<char>* all, const std::function<void(const MarkedPart&)>& f) {
  if (count == 0) return;
  const std::vector<RowMark>& every = marks.marks();
  const auto [begin, end] = marks.parts_of(first, count);
  if (all) {
    const std::uint64_t bytes = marks.end_of(end - 1).second - every[begin].offset;
    check_large_allocation(static_cast<double>(bytes), input.name());
    all->resize(static_cast<std::size_t>(bytes));
  }
  base::on_threads(end - begin, 1, base::copy_threads(end - begin, threads), [&](std::size_t part, std::size_t) {
    const RowMark& mark = every[begin + part];
    const auto [end_row, end_offset] = marks.end_of(begin + part);
    const auto size = static_cast<std::size_t>(end_offset - mark.offset);
    const auto before = static_cast<std::size_t>(mark.offset - every[begin].offset);
    Array<char> own(all ? 0 : size);
    const std::span<char> bytes(all ? all->data() + before : own.data(), size);
    input.read_range(static_cast<std::size_t>(mark.offset), std::as_writable_bytes(bytes));
    f({mark.row, end_row, {bytes.data(), size}, before, mark.lines});
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
