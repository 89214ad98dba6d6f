// NeighborFile of kann/io.hpp: the files of a result.
#include "formats/neighbors/neighbor_file.hpp"

#include <algorithm>
#include <functional>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kann/error.hpp"

#include "formats/files/output_file.hpp"
#include "formats/files/publish_pair.hpp"
#include "formats/neighbors/binary_writer.hpp"
#include "formats/neighbors/label_writer.hpp"
#include "formats/neighbors/list_writer.hpp"
#include "formats/text/text_writer.hpp"
#include "formats/vectors/vectors_writer.hpp"

namespace kann::formats {
namespace {

void check_extra(const Attribute& extra, std::int64_t queries, const std::string& name) {
  if (extra.size() != queries)
    throw Error(ErrorKind::usage, name + ": " + std::to_string(extra.size()) + " values of " + extra.name + " for " +
                                      std::to_string(queries) + " queries");
}

}  // namespace
}  // namespace kann::formats

namespace kann {

using namespace formats;

RowBlocks one_block(const Neighbors& neighbors) {
  return {neighbors.queries, neighbors.k, false, [&neighbors](const RowBlocks::Sink& sink) { sink(neighbors); }};
}

struct NeighborFile::State {
  static State& of(NeighborFile& file) { return *file.state_; }

  NeighborFormat format;
  std::unique_ptr<OutputFile> file;
  std::unique_ptr<OutputFile> distances;  ///< the second file of npy; none if the first is a stream
  std::function<void(std::uint64_t, std::uint64_t)> on_progress = {};
  bool complete = false;  ///< write() has returned
  bool failed = false;    ///< a call has thrown: it is not known how much of it is in the file

  /// Calls write(). If that throws, nothing more may be written.
  template <class Write>
  void write_or_fail(Write write) {
    if (failed || complete)
      throw Error(ErrorKind::internal,
                  file->name() + (complete ? ": written to after the whole result" : ": written to after a failure"));
    failed = true;
    write();
    failed = false;
  }

  /// Calls write_or_fail(); meanwhile, both files report the progress of both to `on_progress`, on this thread.
  void write_with_progress(std::uint64_t array_bytes, auto write) {
    file->expect(distances || format == NeighborFormat::ibin || format == NeighborFormat::fbin ? array_bytes
                                                                                               : 2 * array_bytes);
    if (distances) distances->expect(array_bytes);
    const auto tell = [this, owner = std::this_thread::get_id()] {
      if (std::this_thread::get_id() != owner) return;
      on_progress(file->written() + (distances ? distances->written() : 0),
                  file->expected() + (distances ? distances->expected() : 0));
    };
    const auto set = [&](const std::function<void()>& f) {
      file->report_progress(f);
      if (distances) distances->report_progress(f);
    };
    if (on_progress) set(tell);
    write_or_fail(write);
    set(nullptr);
  }
};

NeighborFile::NeighborFile(const std::string& path, NeighborFormat format, bool replace)
    : state_(std::make_unique<State>(State{format, open_output(path, replace), nullptr, {}, false, false})) {
  if (format == NeighborFormat::npy && !state_->file->is_stream())
    state_->distances = open_output(distances_path(path), replace);
}
NeighborFile::~NeighborFile() = default;
NeighborFile::NeighborFile(NeighborFile&&) noexcept = default;
NeighborFile& NeighborFile::operator=(NeighborFile&&) noexcept = default;

void NeighborFile::write(const Neighbors& neighbors, std::string_view meta_json, int threads,
                         std::span<const Attribute> extras, std::span<const Attribute> globals) {
  check_rows(neighbors, state_->file->name(), ErrorKind::usage);
  std::vector<ColumnBlocks> per_query;
  for (const Attribute& extra : extras) {
    check_extra(extra, neighbors.queries, state_->file->name());
    if (extra.texts)
      throw Error(ErrorKind::usage, state_->file->name() + ": attribute " + extra.name + " is text; write numbers");
    AttributeValues type =
        std::visit([](const auto& v) { return AttributeValues(std::decay_t<decltype(v)>()); }, extra.values);
    per_query.push_back({extra.name, std::move(type), [&](const auto& sink) { sink(extra.values); }});
  }
  write(one_block(neighbors), threads, {meta_json, per_query, globals});
}

void NeighborFile::write(const RowBlocks& rows, int threads, const ResultExtras& extras) {
  ByteSink& sink = *state_->file;
  const NeighborFormat format = state_->format;
  const bool are_lists = rows.lists.has_value();
  check_holds_ids(format, rows.has_wide_ids, sink.name());
  if (are_lists && !holds_lists(format))
    throw Error(ErrorKind::usage,
                sink.name() + ": has no place for rows of any length; write .npz, .csv, .tsv or .mtx");
  if (!are_lists && format == NeighborFormat::mtx)
    throw Error(ErrorKind::usage, sink.name() + ": a matrix has rows of any length (--k all); write npz or csv");
  const std::int64_t values = are_lists ? rows.lists->neighbors : rows.queries * rows.k;
  state_->write_with_progress(4 * static_cast<std::uint64_t>(values), [&] {
    switch (format) {
      case NeighborFormat::csv:
        return write_text(rows, ',', sink, threads);
      case NeighborFormat::tsv:
        return write_text(rows, '\t', sink, threads);
      case NeighborFormat::mtx:
        return write_matrix_market(rows, sink, threads);
      case NeighborFormat::ivecs:
      case NeighborFormat::fvecs:
        return write_xvecs(rows, format == NeighborFormat::ivecs, sink, threads);
      default:
        are_lists ? write_list_npz(rows, extras, sink, threads)
                  : write_binary(format, {sink, state_->distances.get()}, rows, extras, threads);
    }
  });
  state_->complete = true;
}

void formats::write_labels(NeighborFile& file, const ColumnBlocks& labels, std::int64_t points,
                           std::string_view meta_json, int threads) {
  auto& s = NeighborFile::State::of(file);
  if (!holds_labels(s.format))
    throw Error(ErrorKind::usage, s.file->name() + ": has no place for labels; write .npz, .csv or .tsv");
  constexpr std::uint64_t bytes_per_label = 4;
  s.write_with_progress(bytes_per_label * static_cast<std::uint64_t>(points) / 2, [&] {
    if (s.format == NeighborFormat::npz)
      write_label_npz(labels, points, meta_json, *s.file, threads);
    else
      write_text(labels, points, s.format == NeighborFormat::csv ? ',' : '\t', *s.file, threads);
  });
  s.complete = true;
}

bool formats::has_places_of_rows(NeighborFormat format) {
  return !array_places(format, "", {.queries = 1, .k = 1, .has_wide_ids = false}).empty();
}

bool formats::keeps_rows(NeighborFormat format) {
  return array_places(format, "", {.queries = 1, .k = 1, .has_wide_ids = false}).size() == 2;
}

formats::ResultFiles formats::files_of(NeighborFile& file) {
  auto& s = NeighborFile::State::of(file);
  return {s.format, *s.file, s.distances.get()};
}

void formats::write_around(NeighborFile& file, const ResultShape& shape, std::span<const std::uint32_t> checksums,
                           const ResultExtras& extras, int threads) {
  auto& s = NeighborFile::State::of(file);
  s.write_or_fail([&] {
    write_around_arrays(s.format, {*s.file, s.distances.get()}, shape, checksums, extras, threads);
  });
  s.complete = true;
}

void NeighborFile::report_progress(std::function<void(std::uint64_t, std::uint64_t)> on_progress) {
  state_->on_progress = std::move(on_progress);
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
