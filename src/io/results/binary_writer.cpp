#include "io/results/binary_writer.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/results/npy_writer.hpp"
#include "io/results/vectors_writer.hpp"

namespace kann::io {
namespace {

constexpr const char *k_ids_member = "ids.npy", *k_distances_member = "distances.npy", *k_meta_member = "meta.npy";

std::string ids_header(std::int64_t queries, std::int64_t k, bool is_wide = false) {
  return npy_header(is_wide ? "<i8" : "<i4", {queries, k});
}
std::string distances_header(std::int64_t queries, std::int64_t k) { return npy_header("<f4", {queries, k}); }

/// `header` and an array after it.
ArraySection plain_section(ArraySection::Of array, ByteSink& sink, std::string header) {
  return {array, [&sink, header = std::move(header)] { sink.write(as_bytes(header)); },
          [&sink](std::span<const std::byte> values) { sink.write(values); }};
}

/// The same as a member of an archive; the array has `size` bytes.
ArraySection zip_section(ArraySection::Of array, ZipWriter& zip, const char* name, std::string header,
                         std::uint64_t size) {
  return {array,
          [&zip, name, header = std::move(header), size] {
            zip.open(name, header.size() + size);
            zip.append(as_bytes(header));
          },
          [&zip](std::span<const std::byte> values) { zip.append(values); }};
}

/// Adds what follows ids and distances in an npz, and ends it.
void finish_npz(ZipWriter& zip, const NpzExtras& extras) {
  const auto add = [&](const Attribute& array, bool is_scalar) {
    const auto type = npy_type(array.values);
    const std::string header = is_scalar ? npy_header(type, {}) : npy_header(type, {array.size()});
    std::visit(
        [&](const auto& values) {
          zip.add(array.name + ".npy", {as_bytes(header), std::as_bytes(std::span(values))});
        },
        array.values);
  };
  for (const Attribute& extra : extras.per_query) add(extra, false);
  for (const Attribute& global : extras.globals) add(global, global.size() == 1);
  zip.add(k_meta_member, {as_bytes(npy_text(extras.meta_json))});
  zip.finish();
}

std::vector<ArraySection> sections_of(NeighborFormat format, ResultSinks sinks, ZipWriter* zip, std::int64_t n,
                                      std::int64_t k, bool has_wide_ids = false) {
  using enum ArraySection::Of;
  const auto size = static_cast<std::uint64_t>(n * k) * 4;
  const std::string header_of_ids = ids_header(n, k, has_wide_ids);
  switch (format) {
    case NeighborFormat::npz:
      return {zip_section(ids, *zip, k_ids_member, header_of_ids, has_wide_ids ? 2 * size : size),
              zip_section(distances, *zip, k_distances_member, distances_header(n, k), size)};
    case NeighborFormat::npy: {
      std::vector<ArraySection> sections{plain_section(ids, sinks.file, header_of_ids)};
      if (sinks.distances) sections.push_back(plain_section(distances, *sinks.distances, distances_header(n, k)));
      return sections;
    }
    case NeighborFormat::bin:
      return {plain_section(ids, sinks.file, counts_header(n, k, sinks.file)),
              plain_section(distances, sinks.file, "")};
    case NeighborFormat::ibin:
      return {plain_section(ids, sinks.file, counts_header(n, k, sinks.file))};
    case NeighborFormat::fbin:
      return {plain_section(distances, sinks.file, counts_header(n, k, sinks.file))};
    default:
      return {};
  }
}

}  // namespace

bool BinaryWriter::can_write(NeighborFormat format, const ByteSink& sink) {
  switch (format) {
    case NeighborFormat::npz:
      return sink.can_overwrite();
    case NeighborFormat::npy:
    case NeighborFormat::bin:
    case NeighborFormat::ibin:
    case NeighborFormat::fbin:
      return true;
    default:
      return false;
  }
}

BinaryWriter::BinaryWriter(NeighborFormat format, ResultSinks sinks, std::int64_t queries, std::int64_t k, int threads)
    : queries_(queries),
      k_(k),
      zip_(format == NeighborFormat::npz ? std::optional<ZipWriter>(std::in_place, sinks.file, threads) : std::nullopt),
      arrays_(sections_of(format, sinks, zip_ ? &*zip_ : nullptr, queries, k)) {}

void BinaryWriter::write(const Neighbors& neighbors, std::int64_t ids, std::int64_t distances) {
  arrays_.write(neighbors, ids, distances);
}

void BinaryWriter::finish(const NpzExtras& extras) {
  if (zip_) finish_npz(*zip_, extras);
}

void write_binary(NeighborFormat format, ResultSinks sinks, const RowBlocks& rows, const NpzExtras& extras,
                  int threads) {
  std::optional<ZipWriter> zip;
  if (format == NeighborFormat::npz) zip.emplace(sinks.file, threads);
  std::vector<std::int32_t> narrow;
  for (const ArraySection& section :
       sections_of(format, sinks, zip ? &*zip : nullptr, rows.queries, rows.k, rows.has_wide_ids)) {
    section.begin();
    rows.for_each([&](std::span<const std::int64_t> ids, std::span<const float> distances) {
      if (section.array == ArraySection::Of::distances) return section.append(std::as_bytes(distances));
      if (rows.has_wide_ids) return section.append(std::as_bytes(ids));
      narrow.assign(ids.begin(), ids.end());
      section.append(std::as_bytes(std::span(narrow)));
    });
  }
  if (zip) finish_npz(*zip, extras);
}

void write_npz_to_stream(const Neighbors& neighbors, const NpzExtras& extras, ByteSink& sink, int threads) {
  const std::int64_t n = neighbors.queries, k = neighbors.k;
  ZipWriter zip(sink, threads);
  zip.add(k_ids_member, {as_bytes(ids_header(n, k)), std::as_bytes(std::span(neighbors.ids))});
  zip.add(k_distances_member, {as_bytes(distances_header(n, k)), std::as_bytes(std::span(neighbors.distances))});
  finish_npz(zip, extras);
}

}  // namespace kann::io
