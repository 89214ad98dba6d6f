#include "formats/neighbors/arrays_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <variant>

#include "kann/error.hpp"

#include "formats/files/byte_sink.hpp"
#include "formats/numpy/npy_writer.hpp"
#include "formats/table/ordered_blocks.hpp"

namespace kann::formats {
namespace {

/// `queries` rows of `k` values of 4 bytes: the ids or the distances of a result.
struct VectorRows {
  std::int64_t queries;
  std::int64_t k;
  std::span<const std::byte> values;
};

/// `count` in the type of the header. @throws Error resources if it is too large.
template <class T>
T header_count(std::int64_t count, const char* what, const ByteSink& sink) {
  constexpr std::int64_t maximum = std::numeric_limits<T>::max();
  if (count > maximum)
    throw Error(ErrorKind::resources, sink.name() + ": too many " + what + " for the header of this format (got " +
                                          std::to_string(count) + ", at most " + std::to_string(maximum) +
                                          "); use npz");
  return static_cast<T>(count);
}

/// The header of .bin (the ground truth of big-ann-benchmarks: all ids and all distances follow it), .ibin and .fbin
/// (all values follow): u32 queries, u32 k. @throws Error resources, with the name of the sink, if it cannot hold the
/// counts.
std::string counts_header(std::int64_t queries, std::int64_t k, const ByteSink& sink) {
  std::string header;
  append_number(header, header_count<std::uint32_t>(queries, "queries", sink));
  append_number(header, header_count<std::uint32_t>(k, "neighbours", sink));
  return header;
}

/// Writes .ivecs or .fvecs (corpus-texmex): for each row, k as int32 and k values. @throws as counts_header(), before a
/// byte is written.
void write_xvecs(const VectorRows& rows, ByteSink& sink, int threads) {
  std::string count;
  append_number(count, header_count<std::int32_t>(rows.k, "neighbours", sink));
  const std::size_t row_size = static_cast<std::size_t>(rows.k) * 4;

  // Short rows are gathered in blocks; longer ones are written without a copy.
  if (row_size > std::size_t{1} << 20) {
    for (std::int64_t q = 0; q < rows.queries; ++q) {
      sink.write(as_bytes(count));
      sink.write(rows.values.subspan(static_cast<std::size_t>(q) * row_size, row_size));
    }
    return;
  }
  const auto make = [&](std::int64_t begin, std::int64_t end, char* out) {
    for (std::int64_t q = begin; q < end; ++q) {
      out = std::ranges::copy(count, out).out;
      if (row_size > 0) std::memcpy(out, rows.values.data() + static_cast<std::size_t>(q) * row_size, row_size);
      out += row_size;
    }
    return out;
  };
  write_made_rows({rows.queries, rows.queries, count.size() + row_size, make}, sink, threads);
}

std::vector<ResultArray> arrays_of(NeighborFormat format, ResultSinks sinks, const RowBlocks& shape,
                                   std::int64_t values) {
  using enum ResultArray::Of;
  if (shape.k == 0 && !shape.for_each) return {};  // labels, which are a column
  ByteSink* const file = &sinks.file;
  const auto size = static_cast<std::uint64_t>(values) * sizeof(float);
  const std::uint64_t size_of_ids = shape.has_wide_ids ? 2 * size : size;
  const auto head_of = [&](const char* type) {
    return shape.lists ? npy_header(type, {values}) : npy_header(type, {shape.queries, shape.k});
  };
  const char* const type_of_ids = shape.has_wide_ids ? "<i8" : "<i4";
  const auto distances_at = [&](ByteSink* sink, const char* name) {
    return shape.has_float64_distances ? ResultArray{float64_distances, sink, head_of("<f8"), 2 * size, name}
                                       : ResultArray{distances, sink, head_of("<f4"), size, name};
  };
  const auto counts = [&] { return counts_header(shape.queries, shape.k, sinks.file); };
  const std::uint64_t size_of_records = size + static_cast<std::uint64_t>(shape.queries) * sizeof(std::int32_t);
  switch (format) {
    case NeighborFormat::npz: {
      std::vector<ResultArray> arrays = {{ids, file, head_of(type_of_ids), size_of_ids, "ids.npy"},
                                         distances_at(file, "distances.npy")};
      const std::int64_t each = shape.shift_numbers;
      const std::string head =
          shape.lists ? npy_header("<i4", {values, each}) : npy_header("<i4", {shape.queries, shape.k, each});
      if (each > 0) arrays.push_back({shifts, file, head, static_cast<std::uint64_t>(each) * size, "shifts.npy"});
      return arrays;
    }
    case NeighborFormat::npy:
      if (!sinks.distances) return {{ids, file, head_of(type_of_ids), size_of_ids}};
      return {{ids, file, head_of(type_of_ids), size_of_ids}, distances_at(sinks.distances, "")};
    case NeighborFormat::bin:
      return {{ids, file, counts(), size}, {distances, file, "", size}};
    case NeighborFormat::ibin:
      return {{ids, file, counts(), size}};
    case NeighborFormat::fbin:
      return {{distances, file, counts(), size}};
    case NeighborFormat::ivecs:
      return {{ids, file, "", size_of_records, "", true}};
    case NeighborFormat::fvecs:
      return {{distances, file, "", size_of_records, "", true}};
    default:
      return {};
  }
}

void write_rows_of(const ResultArray& array, const Rows& block, ByteSink& sink, int threads) {
  const std::span<const std::byte> values = array.values_of(block);
  array.has_counts ? write_xvecs({block.count, block.k, values}, sink, threads) : sink.write(values);
}

/// Passes rows to the sink, and compares the number of their values with the one in the heads.
void for_all(const RowBlocks& rows, std::int64_t values, const RowBlocks::Sink& sink) {
  std::int64_t missing = values;
  const auto check = [](bool is_right) {
    if (!is_right) throw Error(ErrorKind::internal, "not all rows of a result, or more");
  };
  rows.for_each([&](const Rows& block) {
    missing -= std::ssize(block.distances);
    check(missing >= 0);
    sink(block);
  });
  check(missing == 0);
}

std::span<const std::byte> bytes_of(const AttributeValues& values) {
  return std::visit([](const auto& v) { return std::as_bytes(std::span(v)); }, values);
}

using Content = std::function<void(const std::function<void(std::span<const std::byte>)>& sink)>;

/// Adds an array of `size` bytes.
void add(ZipWriter& zip, const std::string& name, const std::string& head, std::uint64_t size, const Content& content) {
  zip.add(name, head.size() + size, [&](const auto& sink) {
    sink(as_bytes(head));
    content(sink);
  });
}

}  // namespace

ArraysWriter::ArraysWriter(NeighborFormat format, ResultSinks sinks, const RowBlocks& shape, int threads)
    : queries_(shape.queries),
      values_(shape.lists ? shape.lists->neighbors : shape.queries * shape.k),
      threads_(threads),
      has_places_(sinks.file.can_overwrite()) {
  if (format == NeighborFormat::npz) zip_.emplace(sinks.file, threads);
  if (shape.lists)
    add(*zip_, "indptr.npy", npy_header("<i8", {queries_ + 1}),
        static_cast<std::uint64_t>(queries_ + 1) * sizeof(std::int64_t), [&](const auto& sink) {
          shape.lists->for_each_begins([&](std::span<const std::int64_t> some) { sink(std::as_bytes(some)); });
        });
  arrays_ = arrays_of(format, sinks, shape, values_);
  std::uint64_t bytes = 0;
  for (ResultArray& array : arrays_) {
    bytes = array.sink == &sinks.file ? bytes + array.size : array.size;
    array.sink->expect(bytes);
    if (!has_places_) continue;
    if (zip_) {
      const std::size_t member = members_.emplace_back(zip_->reserve(array.name, array.head.size() + array.size));
      zip_->fill(member, as_bytes(array.head));
      array.begin = zip_->next_of(member);
    } else {
      array.sink->write(as_bytes(array.head));
      array.begin = array.sink->skip(array.size);
    }
  }
}

void ArraysWriter::write(const RowBlocks& rows) {
  if (has_places_) {
    std::vector<PlaceSink> places;
    for (const ResultArray& array : arrays_) places.emplace_back(*array.sink, array.begin);
    return for_all(rows, values_, [&](const Rows& block) {
      for (std::size_t i = 0; i < arrays_.size(); ++i)
        zip_ ? zip_->fill(members_[i], arrays_[i].values_of(block))
             : write_rows_of(arrays_[i], block, places[i], threads_);
    });
  }
  for (const ResultArray& array : arrays_) {
    if (zip_) {
      add(*zip_, array.name, array.head, array.size,
          [&](const auto& sink) { for_all(rows, values_, [&](const Rows& block) { sink(array.values_of(block)); }); });
    } else {
      array.sink->write(as_bytes(array.head));
      for_all(rows, values_, [&](const Rows& block) { write_rows_of(array, block, *array.sink, threads_); });
    }
  }
}

void ArraysWriter::finish(const ResultExtras& extras) {
  if (!zip_) return;
  for (const ColumnBlocks& column : extras.per_query) {
    const std::uint64_t bytes_each = std::visit([](auto& values) { return sizeof values[0]; }, column.type);
    add(*zip_, column.name + ".npy", npy_header(npy_type(column.type), {queries_}),
        static_cast<std::uint64_t>(queries_) * bytes_each,
        [&](const auto& sink) { column.for_each([&](const AttributeValues& values) { sink(bytes_of(values)); }); });
  }
  for (const Attribute& global : extras.globals) {
    const std::string type = npy_type(global.values);
    const std::span<const std::byte> bytes = bytes_of(global.values);
    add(*zip_, global.name + ".npy", global.size() == 1 ? npy_header(type, {}) : npy_header(type, {global.size()}),
        bytes.size(), [&](const auto& sink) { sink(bytes); });
  }
  const std::string meta = npy_text(extras.meta_json);
  zip_->add("meta.npy", meta.size(), [&](const auto& sink) { sink(as_bytes(meta)); });
  zip_->finish();
}

}  // namespace kann::formats
