#include "formats/neighbors/list_writer.hpp"

#include <cstdint>
#include <string>

#include "formats/neighbors/npz_extras.hpp"
#include "formats/numpy/npy_writer.hpp"
#include "formats/zip/zip_writer.hpp"

namespace kann::formats {
namespace {

/// One array of an archive: its name, its header, how many bytes follow, and which of a block are among them.
struct ListArray {
  const char* name;
  std::string header;
  std::uint64_t size;
  std::span<const std::byte> (*bytes_of)(const Rows&);
};

}  // namespace

void write_list_npz(const RowBlocks& rows, const ResultExtras& extras, ByteSink& sink, int threads) {
  const auto neighbors = static_cast<std::uint64_t>(rows.lists->neighbors);
  const ListArray arrays[] = {{"ids.npy", npy_header(rows.has_wide_ids ? "<i8" : "<i4", {rows.lists->neighbors}),
                               neighbors * (rows.has_wide_ids ? sizeof(std::int64_t) : sizeof(std::int32_t)),
                               [](const Rows& block) { return block.id_bytes(); }},
                              {"distances.npy", npy_header("<f4", {rows.lists->neighbors}), neighbors * sizeof(float),
                               [](const Rows& block) { return std::as_bytes(block.distances); }}};
  ZipWriter zip(sink, threads);
  const std::string begins = npy_header("<i8", {rows.queries + 1});
  zip.add("indptr.npy", begins.size() + static_cast<std::uint64_t>(rows.queries + 1) * sizeof(std::int64_t),
          [&](const auto& write) {
            write(as_bytes(begins));
            rows.lists->for_each_begins([&](std::span<const std::int64_t> some) { write(std::as_bytes(some)); });
          });
  if (sink.can_overwrite()) {
    std::size_t members[2];
    for (int i = 0; i < 2; ++i) members[i] = zip.reserve(arrays[i].name, arrays[i].header, arrays[i].size);
    rows.for_each([&](const Rows& block) {
      for (int i = 0; i < 2; ++i) zip.fill(members[i], arrays[i].bytes_of(block));
    });
  } else {
    for (const ListArray& array : arrays)
      zip.add(array.name, array.header.size() + array.size, [&](const auto& write) {
        write(as_bytes(array.header));
        rows.for_each([&](const Rows& block) { write(array.bytes_of(block)); });
      });
  }
  finish_npz(zip, rows.queries, extras);
}

}  // namespace kann::formats

namespace kann {

RowBlocks one_block(const NeighborLists& lists, std::int64_t data_points) {
  return {.queries = lists.queries(),
          .for_each = [&lists](const RowBlocks::Sink& sink) { sink(lists); },
          .lists = {{data_points, lists.neighbors(), [&lists](const auto& sink) { sink(lists.begins); }}}};
}

}  // namespace kann
