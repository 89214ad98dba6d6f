#include "formats/neighbors/label_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "formats/numpy/npy_writer.hpp"
#include "formats/table/ordered_blocks.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {
namespace {

constexpr std::int64_t k_labels_per_block = 1 << 13;
constexpr std::size_t k_longest_label = 21;  // with what follows it

template <class T>
void write_label_lines(std::span<const T> labels, std::int64_t first, char delimiter, ByteSink& sink, int threads) {
  const auto make = [&](std::int64_t number, std::byte* out) {
    const std::int64_t begin = number * k_labels_per_block,
                       end = std::min(begin + k_labels_per_block, std::ssize(labels));
    char* at = reinterpret_cast<char*>(out);
    const auto put = [&](auto value, char after) {
      at = std::to_chars(at, at + k_longest_label, value).ptr;
      *at++ = after;
    };
    for (std::int64_t i = begin; i < end; ++i) {
      put(first + i, delimiter);
      put(labels[static_cast<std::size_t>(i)], '\n');
    }
    return static_cast<std::size_t>(at - reinterpret_cast<char*>(out));
  };
  const std::int64_t blocks = (std::ssize(labels) + k_labels_per_block - 1) / k_labels_per_block;
  write_blocks({blocks, 2 * k_longest_label * k_labels_per_block, make}, sink, threads);
}

}  // namespace

void write_label_npz(const ColumnBlocks& labels, std::int64_t points, std::string_view meta_json, ByteSink& sink,
                     int threads) {
  const std::string header = npy_header(npy_type(labels.type), {points});
  const auto value_bytes = std::visit([](const auto& values) { return sizeof values[0]; }, labels.type);
  ZipWriter zip(sink, threads);
  zip.add(
      labels.name + ".npy", header.size() + static_cast<std::uint64_t>(points) * value_bytes, [&](const auto& write) {
        write(as_bytes(header));
        labels.for_each([&](const AttributeValues& some) {
          std::visit([&](const auto& values) { write(std::as_bytes(std::span(values.data(), values.size()))); }, some);
        });
      });
  const std::string meta = npy_text(meta_json);
  zip.add("meta.npy", meta.size(), [&](const auto& write) { write(as_bytes(meta)); });
  zip.finish();
}

void write_label_text(const ColumnBlocks& labels, char delimiter, ByteSink& sink, int threads) {
  sink.write(as_bytes("query" + std::string(1, delimiter) + labels.name + "\n"));
  std::int64_t first = 0;
  labels.for_each([&](const AttributeValues& some) {
    std::visit(
        [&]<class T>(const Array<T>& values) {
          if constexpr (std::is_integral_v<T>)
            write_label_lines(std::span<const T>(values.data(), values.size()), first, delimiter, sink, threads);
          first += std::ssize(values);
        },
        some);
  });
}

}  // namespace kann::formats
