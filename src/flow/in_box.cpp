#include "flow/in_box.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kann/array.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/in_tiles.hpp"
#include "flow/ranks/record.hpp"
#include "flow/rows/row_parts.hpp"
#include "flow/rows/row_store.hpp"
#include "flow/sources/placed_source.hpp"
#include "flow/sources/survey.hpp"
#include "flow/tile_memory.hpp"
#include "formats/files/spool.hpp"
#include "geometry/box.hpp"
#include "geometry/within_radius.hpp"
#include "search/periodic/images.hpp"
#include "search/periodic/periodic_box.hpp"
#include "search/periodic/placement.hpp"

namespace kann::flow {
namespace {

/// How many queries have their images made at a time, and how many images a query may have.
constexpr std::int64_t k_imaged = 1024, k_most_images = 26;

/// Bytes of so many images: in vectors that have grown to up to twice their size, and as records.
double imaged_bytes(double images, int dimensions) {
  constexpr double copies = 3, number = sizeof(double);
  return images * copies * (dimensions * number + sizeof(std::int64_t));
}

/// One search.
class InBox {
 public:
  InBox(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
        const problem::Survey& of_data, Communicator& ranks)
      : ranks_(ranks),
        options_(without_box(options)),
        threads_(base::thread_count(options.search.threads)),
        box_(options.search.periodic),
        placement_(box_, of_data.box),
        extent_(placed_box(box_, placement_.of_data(), of_data.box)),
        sq_bound_(options.search.radius ? geometry::WithinRadius(*options.search.radius).sq_bound()
                                        : std::numeric_limits<double>::infinity()),
        leaves_out_own_(!queries && !options.search.include_self),
        has_data_(of_data.valid > 0),
        data_(data, data.dimensions(), mover(placement_.of_data(), threads_), options.memory),
        rows_(ranks, options.folder, queries ? queries->size() : data.size(), options.search.k,
              options.sizes.block_rows, data.size() > std::numeric_limits<std::int32_t>::max(),
              options.sizes.chunk_bytes, threads_, options.memory),
        parts_(ranks, options.folder, rows_.queries(), options.search.k, options.sizes.block_rows, threads_,
               options.memory),
        images_(options.folder, 1, options.sizes.chunk_bytes, options.memory) {
    if (queries)
      queries_.emplace(*queries, data.dimensions(), mover(placement_.of_queries(), threads_), options.memory);
  }

  FileSearchReport run() {
    const TileQueries queries = queries_of(queries_ ? &*queries_ : nullptr);
    FileSearchReport report = search_tiles(
        data_, queries, options_, ranks_,
        [&](auto some, auto numbers, auto rows, auto finished) { take_queries(some, numbers, rows, finished); });
    if (ranks_.any(images_.size(0) > 0)) add(search_images(), report);
    parts_.put_together([&](std::span<const std::int64_t> numbers, std::span<const TileNeighbor> rows) {
      rows_.add(numbers, rows, std::vector<std::uint8_t>(numbers.size(), 1));
    });
    rows_.deliver();
    report.add(rows_, ranks_);
    report.temporary_bytes += sum(parts_.file_bytes() + images_.file_bytes());
    report.sent_bytes += sum(parts_.sent_bytes());
    return report;
  }

  RowStore take_rows() { return std::move(rows_); }

 private:
  static FileSearchOptions without_box(FileSearchOptions options) {
    options.search.periodic.clear();
    return options;
  }

  std::uint64_t sum(std::uint64_t own) const {
    return static_cast<std::uint64_t>(ranks_.sum(static_cast<std::int64_t>(own)));
  }

  /// Takes rows of the search without a box. A query none of whose images is near the data is done.
  void take_queries(const PointsView& queries, std::span<const std::int64_t> numbers,
                    std::span<const TileNeighbor> rows, std::span<const std::uint8_t> finished) {
    std::vector<std::uint8_t> done(finished.begin(), finished.end()), goes_on(finished.size());
    for (std::int64_t begin = 0; begin < std::ssize(numbers); begin += k_imaged)
      append_images_of(queries, numbers, rows, finished, begin, done, goes_on);
    rows_.add(numbers, rows, done);
    parts_.add(numbers, rows, goes_on);
  }

  /// Makes the images of k_imaged queries from place `first` on, and marks the queries that have some.
  void append_images_of(const PointsView& queries, std::span<const std::int64_t> numbers,
                        std::span<const TileNeighbor> rows, std::span<const std::uint8_t> finished, std::int64_t first,
                        std::vector<std::uint8_t>& done, std::vector<std::uint8_t>& goes_on) {
    struct Made {
      Array<double> positions;
      std::vector<std::int64_t> numbers;  // the query of each image
    };
    const auto k = static_cast<std::size_t>(options_.search.k);
    std::vector<Made> made(static_cast<std::size_t>(threads_));
    const std::int64_t count = std::min(k_imaged, std::ssize(numbers) - first);
    base::parallel_blocks(count, threads_, [&](int part, std::int64_t begin, std::int64_t end) {
      Made& here = made[static_cast<std::size_t>(part)];
      for (auto i = static_cast<std::size_t>(first + begin); i < static_cast<std::size_t>(first + end); ++i) {
        if (!finished[i] || !has_data_) continue;
        const double sq_radius = std::min(sq_bound_, rows[i * k + k - 1].sq_dist);  // infinite where it is missing
        const int images = detail::append_images(
            box_, extent_, detail::position_of(queries, static_cast<std::int64_t>(i)), sq_radius, here.positions);
        if (images == 0) continue;
        here.numbers.insert(here.numbers.end(), static_cast<std::size_t>(images), numbers[i]);
        done[i] = 0;
        goes_on[i] = 1;
      }
    });
    std::size_t images = 0;
    for (const Made& part : made) images += part.numbers.size();
    const base::MemoryCharge charge(options_.memory, imaged_bytes(static_cast<double>(images), queries.dimensions));
    const auto d = static_cast<std::size_t>(queries.dimensions);
    std::vector<std::byte> records;
    for (const Made& part : made) {
      records.resize(part.numbers.size() * (sizeof(std::int64_t) + d * sizeof(double)));
      RecordWriter writer(records);
      for (std::size_t i = 0; i < part.numbers.size(); ++i)
        writer.put(part.numbers[i]).put(std::span<const double>(part.positions.data() + i * d, d));
      if (!records.empty()) images_.append(0, records);
    }
  }

  /// In a self-query, an image finds one neighbour more, since the point itself may be among them and is left out.
  FileSearchReport search_images() {
    FileSearchOptions options = options_;
    options.search.on_progress = nullptr;
    if (leaves_out_own_) ++options.search.k;
    const TileQueries images = RecordedQueries{images_, (queries_ ? *queries_ : data_).name(), true};
    return search_tiles(data_, images, options, ranks_, [&](auto, auto numbers, auto rows, auto finished) {
      if (!leaves_out_own_) return parts_.add(numbers, rows, finished);
      const base::MemoryCharge charge(options_.memory, static_cast<double>(rows.size_bytes()));
      parts_.add(numbers, without_own(numbers, rows, threads_), finished);
    });
  }

  /// Adds the report of the search of images.
  static void add(FileSearchReport more, FileSearchReport& report) {
    keep_last(std::move(more.last), report);
    report.visits += more.visits;
    report.rounds += more.rounds;
    report.sent_bytes += more.sent_bytes;
    report.temporary_bytes = std::max(report.temporary_bytes, more.temporary_bytes);
    report.survey_seconds += more.survey_seconds;
    report.order_seconds += more.order_seconds;
    report.search_seconds += more.search_seconds;
    report.points_seconds += more.points_seconds;
  }

  Communicator& ranks_;
  const FileSearchOptions options_;  // for the two searches, which know of no box
  const int threads_;
  const detail::PeriodicBox box_;
  const detail::Placement placement_;
  const geometry::Box extent_;
  const double sq_bound_;  // neighbours beyond it are not given
  const bool leaves_out_own_;
  const bool has_data_;
  const PlacedSource data_;
  std::optional<PlacedSource> queries_;
  RowStore rows_;
  RowParts parts_;
  formats::Spool images_;  // that are to be searched
};

}  // namespace

SearchShape without_box(SearchShape shape) {
  if (shape.is_periodic) shape.is_float64 = true;
  shape.is_periodic = false;
  return shape;
}

double in_box_bytes(const SearchShape& shape, const FileSearchSizes& sizes) {
  const SearchShape plain = without_box(shape);
  SearchShape images = plain;  // a query may have 26, and they are searched piece by piece
  images.is_self = false;
  images.k += shape.is_self ? 1 : 0;
  const auto block = static_cast<double>(sizes.block_rows), k = static_cast<double>(shape.k);
  const double moved = plain.coordinate_bytes(), added = finished_together(plain, sizes);
  const double own_left_out = added * static_cast<double>(images.k) * sizeof(TileNeighbor);
  const double searches =
      std::max(in_tiles_bytes(plain, sizes, moved) + imaged_bytes(k_most_images * k_imaged, shape.dimensions),
               in_tiles_bytes(images, sizes, moved) + own_left_out);
  return RowParts::bytes(static_cast<double>(shape.queries), block, k, added, shape.ranks, shape.threads) +
         static_cast<double>(sizes.chunk_bytes) + std::max(searches, RowParts::together_bytes(block, k));
}

FileSearchResult in_box(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                        Communicator& ranks) {
  const auto start = std::chrono::steady_clock::now();
  const problem::Survey of_data =
      survey(data, options.sizes.read_points, base::thread_count(options.search.threads), ranks);
  const double seconds = base::seconds_since(start);
  InBox search(data, queries, options, of_data, ranks);
  FileSearchReport report = search.run();
  report.survey_seconds += seconds;
  return {search.take_rows(), report};
}

}  // namespace kann::flow
