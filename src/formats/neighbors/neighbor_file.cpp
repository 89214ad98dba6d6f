// NeighborFile of kann/io.hpp: the files of a result.
#include "formats/neighbors/neighbor_file.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "kann/error.hpp"

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

NeighborFile::NeighborFile(const std::string& path, NeighborFormat format, bool replace)
    : state_(std::make_unique<State>(State{WrittenOnce(open_output(path, replace)), format})) {
  if (format == NeighborFormat::npy && !state_->file->is_stream())
    state_->second = open_output(distances_path(path), replace);
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
  s.write_with_progress([&] {
    const char delimiter = format == NeighborFormat::csv ? ',' : '\t';
    if (has_places_of_rows(format)) {
      ArraysWriter arrays(format, {file, s.second.get()}, rows, threads);
      if (rows.for_each) arrays.write(rows);
      arrays.finish(extras);
    } else if (format == NeighborFormat::mtx) {
      write_matrix_market(rows, file, threads);
    } else {
      write_text(rows, delimiter, file, threads);
    }
  });
}

void NeighborFile::report_progress(std::function<void(std::uint64_t, std::uint64_t)> on_progress) {
  state_->on_progress = std::move(on_progress);
}

void NeighborFile::commit() { state_->commit(); }

}  // namespace kann
