// NeighborFile of kann/io.hpp: the formats, and the files of a result.
#include "io/results/neighbor_file.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "kann/error.hpp"
#include "kann/io.hpp"

#include "io/files/output_file.hpp"
#include "io/files/publish_pair.hpp"
#include "io/results/npy_writer.hpp"
#include "io/results/text_writer.hpp"
#include "io/results/vectors_writer.hpp"
#include "io/results/zip_writer.hpp"

namespace kann::io {
namespace {

constexpr std::array<std::pair<std::string_view, NeighborFormat>, 9> k_formats = {{
    {"npz", NeighborFormat::npz},
    {"npy", NeighborFormat::npy},
    {"csv", NeighborFormat::csv},
    {"tsv", NeighborFormat::tsv},
    {"bin", NeighborFormat::bin},
    {"ivecs", NeighborFormat::ivecs},
    {"ibin", NeighborFormat::ibin},
    {"fvecs", NeighborFormat::fvecs},
    {"fbin", NeighborFormat::fbin},
}};

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

void check_shape(const Neighbors& neighbors, const std::string& name) {
  __extension__ using Wide = __int128;
  const Wide values = static_cast<Wide>(neighbors.queries) * neighbors.k;
  if (neighbors.queries < 0 || neighbors.k < 0 || neighbors.ids.size() != values ||
      neighbors.distances.size() != values)
    throw Error(ErrorKind::usage, name + ": " + std::to_string(neighbors.queries) + " queries x " +
                                      std::to_string(neighbors.k) + " neighbours do not match " +
                                      std::to_string(neighbors.ids.size()) + " ids and " +
                                      std::to_string(neighbors.distances.size()) + " distances");
}

/// Writes NumPy's archive of arrays, not compressed: `ids` (queries × k, int32), `distances` (queries × k, float32) and
/// `meta` (`meta_json` as text, no dimensions).
void write_npz(const Neighbors& neighbors, std::string_view meta_json, ByteSink& sink, int threads) {
  const std::int64_t n = neighbors.queries, k = neighbors.k;
  ZipWriter zip(sink, threads);
  zip.add("ids.npy", {as_bytes(npy_header("<i4", {n, k})), std::as_bytes(std::span(neighbors.ids))});
  zip.add("distances.npy", {as_bytes(npy_header("<f4", {n, k})), std::as_bytes(std::span(neighbors.distances))});
  zip.add("meta.npy", {as_bytes(npy_text(meta_json))});
  zip.finish();
}

}  // namespace

std::string distances_path(const std::string& path) {
  constexpr std::string_view extension = ".npy";
  const bool has_extension =
      path.size() > extension.size() &&
      equal_in_any_case(std::string_view(path).substr(path.size() - extension.size()), extension);
  return path.substr(0, path.size() - (has_extension ? extension.size() : 0)) + ".distances.npy";
}

}  // namespace kann::io

namespace kann {

using namespace io;

std::optional<NeighborFormat> neighbor_format(std::string_view name) {
  for (const auto& [format_name, format] : k_formats)
    if (equal_in_any_case(name, format_name)) return format;
  return std::nullopt;
}

struct NeighborFile::State {
  NeighborFormat format;
  std::unique_ptr<OutputFile> file;
  std::unique_ptr<OutputFile> distances;  ///< the second file of npy; none if the first is a stream
  bool complete = false;                  ///< write() has returned
};

NeighborFile::NeighborFile(const std::string& path, NeighborFormat format, bool replace)
    : state_(std::make_unique<State>(State{format, open_output(path, replace), nullptr, false})) {
  if (format == NeighborFormat::npy && !state_->file->is_stream())
    state_->distances = open_output(distances_path(path), replace);
}
NeighborFile::~NeighborFile() = default;
NeighborFile::NeighborFile(NeighborFile&&) noexcept = default;
NeighborFile& NeighborFile::operator=(NeighborFile&&) noexcept = default;

void NeighborFile::write(const Neighbors& neighbors, std::string_view meta_json, int threads) {
  ByteSink& sink = *state_->file;
  check_shape(neighbors, sink.name());
  const std::int64_t n = neighbors.queries, k = neighbors.k;
  const auto ids = std::as_bytes(std::span(neighbors.ids));
  const auto distances = std::as_bytes(std::span(neighbors.distances));

  switch (state_->format) {
    case NeighborFormat::npz:
      write_npz(neighbors, meta_json, sink, threads);
      break;
    case NeighborFormat::npy:
      sink.write(as_bytes(npy_header("<i4", {n, k})));
      sink.write(ids);
      if (state_->distances) {
        state_->distances->write(as_bytes(npy_header("<f4", {n, k})));
        state_->distances->write(distances);
      }
      break;
    case NeighborFormat::csv:
      write_text(neighbors, ',', sink, threads);
      break;
    case NeighborFormat::tsv:
      write_text(neighbors, '\t', sink, threads);
      break;
    case NeighborFormat::bin:
      write_bin(neighbors, sink);
      break;
    case NeighborFormat::ivecs:
      write_xvecs({n, k, ids}, sink);
      break;
    case NeighborFormat::fvecs:
      write_xvecs({n, k, distances}, sink);
      break;
    case NeighborFormat::ibin:
      write_xbin({n, k, ids}, sink);
      break;
    case NeighborFormat::fbin:
      write_xbin({n, k, distances}, sink);
      break;
  }
  state_->complete = true;
}

void NeighborFile::commit() {
  if (!state_->complete) throw Error(ErrorKind::internal, state_->file->name() + ": committed before it was written");
  state_->file->finish();
  if (state_->distances) {
    state_->distances->finish();
    publish_pair(*state_->file, *state_->distances);
  } else {
    state_->file->publish();
  }
}

}  // namespace kann
