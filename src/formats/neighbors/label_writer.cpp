#include "formats/neighbors/label_writer.hpp"

#include <span>
#include <string>
#include <variant>

#include "formats/numpy/npy_writer.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {

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

}  // namespace kann::formats
