#include "formats/text/text_writer.hpp"

#include <algorithm>
#include <string>
#include <type_traits>
#include <variant>

#include "formats/table/ordered_blocks.hpp"
#include "formats/text/csv_cells.hpp"

namespace kann::formats {
namespace {

/// Writes a number, and what follows it. Returns the end.
template <class T>
char* put(char* out, T number, char after) {
  out = put_number(out, number);
  *out = after;
  return out + 1;
}

/// Writes a line for every neighbour of a block, whose ids are `ids`: put_line(out, query, rank, id, distance)
/// returns its end.
/// @param all lines of the whole file
template <class Id, class PutLine>
void write_lines(const Rows& block, std::span<const Id> ids, std::int64_t all, ByteSink& sink, int threads,
                 PutLine put_line) {
  constexpr std::size_t numbers = 4;
  const auto begin_of = [&](std::int64_t row) {
    return block.begins.empty() ? row * block.k : block.begins[static_cast<std::size_t>(row)] - block.begins.front();
  };
  const auto make = [&](std::int64_t begin, std::int64_t end, char* out) {
    // The row of the first neighbour: the last that does not begin after it
    std::int64_t row = block.begins.empty() ? begin / block.k
                                            : std::ranges::upper_bound(block.begins, block.begins.front() + begin) -
                                                  block.begins.begin() - 1;
    std::int64_t first = begin_of(row), next = begin_of(row + 1);
    for (std::int64_t i = begin; i < end; ++i) {
      while (i >= next) {
        first = next;
        next = begin_of(++row + 1);
      }
      const auto at = static_cast<std::size_t>(i);
      out = put_line(out, block.first + row, i - first, ids[at], block.distances[at]);
    }
    return out;
  };
  write_made_rows({std::ssize(block.distances), all, numbers * (k_longest_number + 1), make}, sink, threads);
}

template <class PutLine>
void write_lines(const RowBlocks& rows, ByteSink& sink, int threads, PutLine put_line) {
  const std::int64_t all = rows.lists ? rows.lists->neighbors : rows.queries * rows.k;
  rows.for_each([&](const Rows& block) {
    std::visit([&](const auto& ids) { write_lines(block, ids, all, sink, threads, put_line); }, block.ids);
  });
}

}  // namespace

void write_text(const RowBlocks& rows, char delimiter, ByteSink& sink, int threads) {
  std::string header = "query,rank,id,distance\n";
  std::ranges::replace(header, ',', delimiter);
  sink.write(as_bytes(header));
  write_lines(rows, sink, threads, [delimiter](char* out, auto query, auto rank, auto id, float distance) {
    out = put(out, query, delimiter);
    out = put(out, rank, delimiter);
    out = put(out, id, delimiter);
    return put(out, distance, '\n');
  });
}

void write_matrix_market(const RowBlocks& rows, ByteSink& sink, int threads) {
  sink.write(as_bytes("%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows.queries) + ' ' +
                      std::to_string(rows.lists->data_points) + ' ' + std::to_string(rows.lists->neighbors) + '\n'));
  write_lines(rows, sink, threads, [](char* out, auto query, auto, auto id, float distance) {
    out = put(out, query + 1, ' ');
    out = put(out, std::int64_t{id} + 1, ' ');
    return put(out, distance, '\n');
  });
}

}  // namespace kann::formats
