#include "io/results/vectors_writer.hpp"

#include <limits>
#include <string>

#include "kann/error.hpp"

namespace kann::io {
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

std::string counts_header(std::int64_t queries, std::int64_t k, const ByteSink& sink) {
  std::string header;
  append_number(header, header_count<std::uint32_t>(queries, "queries", sink));
  append_number(header, header_count<std::uint32_t>(k, "neighbours", sink));
  return header;
}

}  // namespace

void write_bin(const Neighbors& neighbors, ByteSink& sink) {
  sink.write(as_bytes(counts_header(neighbors.queries, neighbors.k, sink)));
  sink.write(std::as_bytes(std::span(neighbors.ids)));
  sink.write(std::as_bytes(std::span(neighbors.distances)));
}

void write_xbin(const VectorRows& rows, ByteSink& sink) {
  sink.write(as_bytes(counts_header(rows.queries, rows.k, sink)));
  sink.write(rows.values);
}

void write_xvecs(const VectorRows& rows, ByteSink& sink) {
  std::string count;
  append_number(count, header_count<std::int32_t>(rows.k, "neighbours", sink));
  const std::size_t row_size = static_cast<std::size_t>(rows.k) * 4;

  // Short rows are gathered in a block; rows longer than that are written without a copy.
  constexpr std::size_t k_block = 1 << 20;
  std::string block;
  block.reserve(k_block + count.size());
  const auto flush = [&] {
    sink.write(as_bytes(block));
    block.clear();
  };
  for (std::int64_t q = 0; q < rows.queries; ++q) {
    const auto row = rows.values.subspan(static_cast<std::size_t>(q) * row_size, row_size);
    if (block.size() + row_size > k_block) flush();
    block += count;
    if (row_size > k_block) {
      flush();
      sink.write(row);
    } else {
      block.append(reinterpret_cast<const char*>(row.data()), row_size);
    }
  }
  flush();
}

}  // namespace kann::io
