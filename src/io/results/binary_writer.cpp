#include "io/results/binary_writer.hpp"

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "io/results/narrow_ids.hpp"
#include "io/results/npy_writer.hpp"
#include "io/results/vectors_writer.hpp"

namespace kann::io {
namespace {

constexpr const char *k_ids_member = "ids.npy", *k_distances_member = "distances.npy", *k_meta_member = "meta.npy";

std::string ids_header(std::int64_t queries, std::int64_t k, bool is_wide = false) {
  return npy_header(is_wide ? "<i8" : "<i4", {queries, k});
}
std::string distances_header(std::int64_t queries, std::int64_t k) { return npy_header("<f4", {queries, k}); }

/// A section that has `header`, and after it an array of `size` bytes.
ArraySection plain_section(ArraySection::Of array, ByteSink& sink, std::string header, std::uint64_t size) {
  return {array, [&sink, header = std::move(header)] { sink.write(as_bytes(header)); },
          [&sink](std::span<const std::byte> values) { sink.write(values); }, size,
          [&sink, size](std::uint32_t) { sink.skip(size); }};
}

/// Such a section as a member of an archive.
ArraySection zip_section(ArraySection::Of array, ZipWriter& zip, const char* name, std::string header,
                         std::uint64_t size) {
  return {array,
          [&zip, name, header = std::move(header), size] {
            zip.open(name, header.size() + size);
            zip.append(as_bytes(header));
          },
          [&zip](std::span<const std::byte> values) { zip.append(values); }, size,
          [&zip, size](std::uint32_t crc) { zip.skip(size, crc); }};
}

/// Adds the arrays that follow ids and distances in an npz, and finishes the archive.
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
  const std::uint64_t size_of_ids = has_wide_ids ? 2 * size : size;
  const std::string header_of_ids = ids_header(n, k, has_wide_ids);
  switch (format) {
    case NeighborFormat::npz:
      return {zip_section(ids, *zip, k_ids_member, header_of_ids, size_of_ids),
              zip_section(distances, *zip, k_distances_member, distances_header(n, k), size)};
    case NeighborFormat::npy: {
      std::vector<ArraySection> sections{plain_section(ids, sinks.file, header_of_ids, size_of_ids)};
      if (sinks.distances) sections.push_back(plain_section(distances, *sinks.distances, distances_header(n, k), size));
      return sections;
    }
    case NeighborFormat::bin:
      return {plain_section(ids, sinks.file, counts_header(n, k, sinks.file), size),
              plain_section(distances, sinks.file, "", size)};
    case NeighborFormat::ibin:
      return {plain_section(ids, sinks.file, counts_header(n, k, sinks.file), size)};
    case NeighborFormat::fbin:
      return {plain_section(distances, sinks.file, counts_header(n, k, sinks.file), size)};
    default:
      return {};
  }
}

/// Like sections_of(), also for the formats whose rows are records.
std::vector<ArraySection> placed_sections_of(NeighborFormat format, ResultSinks sinks, ZipWriter* zip,
                                             const ResultShape& shape) {
  using enum ArraySection::Of;
  const auto records = static_cast<std::uint64_t>(shape.queries) * (static_cast<std::uint64_t>(shape.k) + 1) * 4;
  if (format == NeighborFormat::ivecs) return {plain_section(ids, sinks.file, "", records)};
  if (format == NeighborFormat::fvecs) return {plain_section(distances, sinks.file, "", records)};
  return sections_of(format, sinks, zip, shape.queries, shape.k, shape.has_wide_ids);
}

/// A sink that only counts the bytes of a file.
class Position final : public ByteSink {
 public:
  explicit Position(const std::string& name) : name_(name) {}

  std::uint64_t bytes() const { return bytes_; }

  void write(std::span<const std::byte> bytes) override { bytes_ += bytes.size(); }
  bool can_overwrite() const override { return true; }
  void overwrite(std::uint64_t, std::span<const std::byte>) override {}
  void skip(std::uint64_t size) override { bytes_ += size; }
  const std::string& name() const override { return name_; }

 private:
  const std::string& name_;
  std::uint64_t bytes_ = 0;
};

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
  Array<std::int32_t> narrow;
  for (const ArraySection& section :
       sections_of(format, sinks, zip ? &*zip : nullptr, rows.queries, rows.k, rows.has_wide_ids)) {
    section.begin();
    rows.for_each([&](std::span<const std::int64_t> ids, std::span<const float> distances) {
      if (section.array == ArraySection::Of::distances) return section.append(std::as_bytes(distances));
      if (rows.has_wide_ids) return section.append(std::as_bytes(ids));
      section.append(narrow_ids(ids, narrow, threads));
    });
  }
  if (zip) finish_npz(*zip, extras);
}

std::vector<ArrayPlace> array_places(NeighborFormat format, const std::string& name, const ResultShape& shape) {
  Position file(name), distances(name);
  std::optional<ZipWriter> zip;
  if (format == NeighborFormat::npz) zip.emplace(file, 1);
  std::vector<ArrayPlace> places;
  for (const ArraySection& section : placed_sections_of(format, {file, &distances}, zip ? &*zip : nullptr, shape)) {
    const bool is_second = format == NeighborFormat::npy && section.array == ArraySection::Of::distances;
    section.begin();
    places.push_back({section.array, is_second, (is_second ? distances : file).bytes(), section.size});
    section.skip(0);
  }
  return places;
}

void write_around_arrays(NeighborFormat format, ResultSinks sinks, const ResultShape& shape,
                         std::span<const std::uint32_t> checksums, const NpzExtras& extras, int threads) {
  std::optional<ZipWriter> zip;
  if (format == NeighborFormat::npz) zip.emplace(sinks.file, threads);
  const std::vector<ArraySection> sections = placed_sections_of(format, sinks, zip ? &*zip : nullptr, shape);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].begin();
    sections[i].skip(checksums[i]);
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
