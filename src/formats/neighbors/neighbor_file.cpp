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
#include "formats/neighbors/arrays_writer.hpp"
#include "formats/text/text_writer.hpp"

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

RowBlocks one_block(const NeighborLists& lists, std::int64_t data_points) {
  return {.queries = lists.queries(),
          .for_each = [&lists](const RowBlocks::Sink& sink) { sink(lists); },
          .lists = {{data_points, lists.neighbors(), [&lists](const auto& sink) { sink(lists.begins); }}}};
}

struct NeighborFile::State {
  static State& of(NeighborFile& file) { return *file.state_; }

  NeighborFormat format;
  std::unique_ptr<OutputFile> file;
  std::unique_ptr<OutputFile> distances;  ///< the second file of npy; none if the first is a stream
  std::function<void(std::uint64_t, std::uint64_t)> on_progress = {};
  bool complete = false;  ///< write() has returned
  bool failed = false;    ///< a call has thrown: it is not known how much of it is in the file

  /// Calls write(), which writes everything, or what is left. If that throws, nothing more may be written.
  template <class Write>
  void write_whole(Write write) {
    if (failed || complete)
      throw Error(ErrorKind::internal,
                  file->name() + (complete ? ": written to after the whole result" : ": written to after a failure"));
    failed = true;
    write();
    failed = false;
    complete = true;
  }

  /// Lets both files report the progress of both to `on_progress`, on this thread; `is_on` false: no longer.
  void set_progress(bool is_on) {
    std::function<void()> tell = nullptr;
    if (is_on && on_progress)
      tell = [this, owner = std::this_thread::get_id()] {
        if (std::this_thread::get_id() != owner) return;
        on_progress(file->written() + (distances ? distances->written() : 0),
                    file->expected() + (distances ? distances->expected() : 0));
      };
    file->report_progress(tell);
    if (distances) distances->report_progress(tell);
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
  State& s = *state_;
  const NeighborFormat format = s.format;
  OutputFile& file = *s.file;
  check_holds(format, rows, file.name());
  s.set_progress(true);
  s.write_whole([&] {
    const char delimiter = format == NeighborFormat::csv ? ',' : '\t';
    if (has_places_of_rows(format)) {
      ArraysWriter arrays(format, {file, s.distances.get()}, rows, threads);
      if (rows.for_each) arrays.write(rows);
      arrays.finish(extras);
    } else if (format == NeighborFormat::mtx) {
      write_matrix_market(rows, file, threads);
    } else {
      write_text(rows, delimiter, file, threads);
    }
  });
  s.set_progress(false);
}

formats::ResultFiles formats::files_of(NeighborFile& file) {
  auto& s = NeighborFile::State::of(file);
  return {s.format, *s.file, s.distances.get()};
}

void formats::write_whole(NeighborFile& file, const std::function<void()>& write) {
  NeighborFile::State::of(file).write_whole(write);
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
