#include "formats/vectors/vectors_writer.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>

#include "kann/error.hpp"

#include "formats/table/ordered_blocks.hpp"

namespace kann::formats {
namespace {

/// `count` in the type of the header. @throws Error resources if it is too large.
template <class T>
T header_count(std::int64_t count, const char* what, const ByteSink& sink) {
  constexpr std::int64_t maximum = std::numeric_limits<T>::max();
  if (count > maximum)
    throw Error(ErrorKind::resources, sink.name() + ": too many " + what + " for the header of this format (got " +
                                          std::to_string(count) + ", at most " + std::to_string(maximum) +
                                          "); use npz");
  return static_cast<T>(count);
}

}  // namespace

std::string counts_header(std::int64_t queries, std::int64_t k, const ByteSink& sink) {
  std::string header;
  append_number(header, header_count<std::uint32_t>(queries, "queries", sink));
  append_number(header, header_count<std::uint32_t>(k, "neighbours", sink));
  return header;
}

void write_xvecs(const VectorRows& rows, ByteSink& sink, int threads) {
  std::string count;
  append_number(count, header_count<std::int32_t>(rows.k, "neighbours", sink));
  const std::size_t row_size = static_cast<std::size_t>(rows.k) * 4;

  // Short rows are gathered in blocks; longer ones are written without a copy.
  if (row_size > std::size_t{1} << 20) {
    for (std::int64_t q = 0; q < rows.queries; ++q) {
      sink.write(as_bytes(count));
      sink.write(rows.values.subspan(static_cast<std::size_t>(q) * row_size, row_size));
    }
    return;
  }
  const auto make = [&](std::int64_t begin, std::int64_t end, char* out) {
    for (std::int64_t q = begin; q < end; ++q) {
      out = std::ranges::copy(count, out).out;
      if (row_size > 0) std::memcpy(out, rows.values.data() + static_cast<std::size_t>(q) * row_size, row_size);
      out += row_size;
    }
    return out;
  };
  write_made_rows({rows.queries, rows.queries, count.size() + row_size, make}, sink, threads);
}

}  // namespace kann::formats
