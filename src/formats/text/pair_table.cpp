#include "formats/text/pair_table.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>

#include "formats/table/ordered_blocks.hpp"
#include "formats/text/csv_cells.hpp"

namespace kann::formats {
namespace {

using Columns = std::span<const Attribute* const>;

constexpr std::string_view k_id = "nn_id", k_distance = "nn_distance";

bool has_name(Columns columns, const std::string& name) {
  return std::ranges::any_of(columns, [&](const Attribute* column) { return column->name == name; });
}

/// Bytes that the cells of a line can have, with their delimiters.
std::size_t longest_line(Columns columns) {
  std::size_t longest = 0;
  for (const Attribute* const column : columns) longest += longest_cell(*column) + 1;
  return longest;
}

}  // namespace

std::string PairTable::header(Columns queries, Columns data) const {
  std::set<std::string> taken;
  std::string header;
  const auto add = [&](const std::string& name) {
    taken.insert(name);
    header += header_cell(name) + delimiter_;
  };
  const auto add_side = [&](Columns own, Columns other, const std::string& prefix) {
    for (const Attribute* const column : own) {
      std::string name = column->name;
      while (has_pairs_ && (taken.contains(name) || has_name(other, name) || name == k_id || name == k_distance ||
                            (name != column->name && has_name(own, name))))
        name = prefix + name;
      add(name);
    }
  };
  add_side(queries, data, "query_");
  if (has_pairs_) {
    add_side(data, queries, "data_");
    add(std::string(k_id));
    add(std::string(k_distance));
  }
  header.back() = '\n';
  return header;
}

void PairTable::write(Columns queries, Columns data, std::span<const PairLine> lines, ByteSink& sink,
                      int threads) const {
  const std::size_t longest =
      longest_line(queries) + (has_pairs_ ? longest_line(data) + 2 * (k_longest_number + 1) : 0) + 1;
  const auto count = std::ssize(lines);
  const auto make = [&](std::int64_t begin, std::int64_t end, char* out) {
    const auto put = [&](Columns columns, std::int64_t place) {
      for (const Attribute* const column : columns) {
        if (place >= 0) out = put_cell(out, *column, place, "");
        *out++ = delimiter_;
      }
    };
    // Rows of the data lie anywhere in memory
    const auto fetch = [&](std::int64_t i, const auto& f) {
      const std::int64_t place = has_pairs_ && i < count ? lines[static_cast<std::size_t>(i)].data : -1;
      for (const Attribute* const column : place >= 0 ? data : Columns()) f(*column, place);
    };
    for (std::int64_t i = begin; i < end; ++i) {
      const PairLine& line = lines[static_cast<std::size_t>(i)];
      fetch(i + 40, fetch_value);
      fetch(i + 16, fetch_text);
      put(queries, line.query);
      if (has_pairs_) {
        put(data, line.data);
        if (line.data >= 0) out = put_number(out, line.id);
        *out++ = delimiter_;
        if (line.data >= 0) out = put_number(out, line.distance);
        *out++ = delimiter_;
      }
      out[-1] = '\n';
    }
    return out;
  };
  write_made_rows({count, count, longest, make}, sink, threads);
}

}  // namespace kann::formats
