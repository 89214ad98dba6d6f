#include "formats/neighbors/npz_extras.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <variant>

#include "formats/numpy/npy_writer.hpp"

namespace kann::formats {
namespace {

std::span<const std::byte> bytes_of(const AttributeValues& values) {
  return std::visit([](const auto& v) { return std::as_bytes(std::span(v)); }, values);
}

}  // namespace

void finish_npz(ZipWriter& zip, std::int64_t queries, const ResultExtras& extras) {
  for (const ColumnBlocks& column : extras.per_query) {
    const std::string header = npy_header(npy_type(column.type), {queries});
    const std::uint64_t size =
        static_cast<std::uint64_t>(queries) * std::visit([](auto& v) { return sizeof v[0]; }, column.type);
    zip.add(column.name + ".npy", header.size() + size, [&](const auto& sink) {
      sink(as_bytes(header));
      column.for_each([&](const AttributeValues& values) { sink(bytes_of(values)); });
    });
  }
  for (const Attribute& global : extras.globals) {
    const auto type = npy_type(global.values);
    const std::string header = global.size() == 1 ? npy_header(type, {}) : npy_header(type, {global.size()});
    const auto bytes = bytes_of(global.values);
    zip.add(global.name + ".npy", header.size() + bytes.size(), [&](const auto& sink) {
      sink(as_bytes(header));
      sink(bytes);
    });
  }
  const std::string meta = npy_text(extras.meta_json);
  zip.add("meta.npy", meta.size(), [&](const auto& sink) { sink(as_bytes(meta)); });
  zip.finish();
}

}  // namespace kann::formats
