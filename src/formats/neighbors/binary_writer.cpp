#include "formats/neighbors/binary_writer.hpp"

#include <string>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "formats/neighbors/npz_extras.hpp"
#include "formats/numpy/npy_writer.hpp"
#include "formats/vectors/vectors_writer.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {
namespace {

constexpr const char *k_ids_member = "ids.npy", *k_distances_member = "distances.npy";

std::string ids_header(std::int64_t queries, std::int64_t k, bool is_wide) {
  return npy_header(is_wide ? "<i8" : "<i4", {queries, k});
}
std::string distances_header(std::int64_t queries, std::int64_t k) { return npy_header("<f4", {queries, k}); }

/// Bytes of the arrays.
std::uint64_t distances_size(const ResultShape& shape) {
  return static_cast<std::uint64_t>(shape.queries) * static_cast<std::uint64_t>(shape.k) * 4;
}
std::uint64_t ids_size(const ResultShape& shape) { return distances_size(shape) * (shape.has_wide_ids ? 2 : 1); }

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

std::vector<ArraySection> sections_of(NeighborFormat format, ResultSinks sinks, ZipWriter* zip,
                                      const ResultShape& shape) {
  using enum ArraySection::Of;
  const auto [n, k, has_wide_ids] = shape;
  const std::uint64_t size = distances_size(shape), size_of_ids = ids_size(shape);
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
  return sections_of(format, sinks, zip, shape);
}

/// In a stream, checksums precede the arrays.
void add_arrays_to_stream(ZipWriter& zip, const ResultShape& shape, const RowBlocks& rows) {
  const std::string of_ids = ids_header(shape.queries, shape.k, shape.has_wide_ids);
  zip.add(k_ids_member, of_ids.size() + ids_size(shape), [&](const auto& sink) {
    sink(as_bytes(of_ids));
    rows.for_each([&](const Rows& block) { sink(block.id_bytes()); });
  });
  const std::string of_distances = distances_header(shape.queries, shape.k);
  zip.add(k_distances_member, of_distances.size() + distances_size(shape), [&](const auto& sink) {
    sink(as_bytes(of_distances));
    rows.for_each([&](const Rows& block) { sink(std::as_bytes(block.distances)); });
  });
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

void write_binary(NeighborFormat format, ResultSinks sinks, const RowBlocks& rows, const ResultExtras& extras,
                  int threads) {
  const ResultShape shape{rows.queries, rows.k, rows.has_wide_ids};
  std::optional<ZipWriter> zip;
  if (format == NeighborFormat::npz) zip.emplace(sinks.file, threads);
  if (zip && !sinks.file.can_overwrite())
    add_arrays_to_stream(*zip, shape, rows);
  else
    for (const ArraySection& section : sections_of(format, sinks, zip ? &*zip : nullptr, shape)) {
      section.begin();
      std::size_t passed = 0;
      rows.for_each([&](const Rows& block) {
        const auto all = section.array == ArraySection::Of::ids ? block.id_bytes() : std::as_bytes(block.distances);
        section.append(all);
        passed += all.size();
      });
      if (passed != section.size) throw Error(ErrorKind::internal, "not all rows of a result, or more");
    }
  if (zip) finish_npz(*zip, shape.queries, extras);
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
                         std::span<const std::uint32_t> checksums, const ResultExtras& extras, int threads) {
  std::optional<ZipWriter> zip;
  if (format == NeighborFormat::npz) zip.emplace(sinks.file, threads);
  const std::vector<ArraySection> sections = placed_sections_of(format, sinks, zip ? &*zip : nullptr, shape);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].begin();
    sections[i].skip(checksums[i]);
  }
  if (zip) finish_npz(*zip, shape.queries, extras);
}

}  // namespace kann::formats
