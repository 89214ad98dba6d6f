#include "flow/routes/tile_store.hpp"

#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <variant>

#include "kann/error.hpp"

#include "base/seconds_since.hpp"
#include "base/threads/parallel.hpp"
#include "flow/ranks/record.hpp"
#include "flow/ranks/shares.hpp"
#include "flow/sources/survey.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"

namespace kann::flow {
namespace {

/// A record begins with 64 bits: the number of a point and, above it, the slice of its section of the curve.
constexpr int k_number_bits = 57;

std::int64_t number_of(std::uint64_t begin) {
  return static_cast<std::int64_t>(begin & ((std::uint64_t{1} << k_number_bits) - 1));
}

/// The coordinates as T, which holds them; `storage` has them where they are of another type.
template <class T>
std::span<const T> coordinates_of(const PointsView& points, std::vector<T>& storage) {
  if (const auto* const own = std::get_if<std::span<const T>>(&points.coordinates)) return *own;
  std::visit([&](const auto& values) { storage.assign(values.begin(), values.end()); }, points.coordinates);
  return storage;
}

}  // namespace

template <class T>
TileStore<T>::TileStore(const PointSource& data, const PointSource* queries, const FileSearchOptions& options,
                        Communicator& ranks)
    : ranks_(ranks),
      options_(options),
      d_(static_cast<std::size_t>(data.dimensions())),
      threads_(base::thread_count(options.search.threads)) {
  const auto start = std::chrono::steady_clock::now();
  divide_data(data);
  if (!queries) problem::check_width(of_data_, of_data_, data.name(), data.dimensions());
  survey_seconds_ = base::seconds_since(start);
  route_data(data);
  if (queries) route_queries(*queries, data.name());
  order_seconds_ = base::seconds_since(start) - survey_seconds_;
}

template <class T>
void TileStore<T>::divide_data(const PointSource& data) {
  const int count = ranks_.size(), d = data.dimensions();
  const std::int64_t begin = share_begin(data.size(), count, ranks_.rank());
  const std::int64_t end = share_begin(data.size(), count, ranks_.rank() + 1);
  const base::MemoryCharge charge(options_.memory, CurveSampler::bytes(static_cast<double>(end - begin), d, count));
  CurveSampler sampler(begin, end, count);
  of_data_ = survey(data, options_.sizes.read_points, threads_, ranks_,
                    [&](std::int64_t row, const PointsView& points) { sampler.add(row, points); });
  if (options_.search.invalid == InvalidPoints::error) problem::refuse_invalid(of_data_, data.name());
  data_size_ = data.size();
  const std::vector<double> sample = ranks_.gather_values(sampler.sample());
  curve_ = Curve(of_data_.box, sample, d);
  const std::int64_t share = (of_data_.valid + count - 1) / count;
  const std::int64_t of_rank = (share + options_.sizes.tile_points - 1) / options_.sizes.tile_points;
  sections_ = CurveSections(curve_, sample, d, count * std::max<std::int64_t>(1, of_rank));
}

/// Sends all finite points of this rank's share, as records: data to their sections of the curve, and queries to the
/// tiles in which they are searched first. All ranks do so at once. Returns the survey of all of the cloud.
template <class T>
problem::Survey TileStore<T>::send_points(const PointSource& cloud, Post& post, bool is_data) {
  constexpr std::uint32_t nowhere = RecordBatch::k_nowhere;
  const int count = ranks_.size();
  const std::int64_t begin = share_begin(cloud.size(), count, ranks_.rank());
  const std::int64_t end = share_begin(cloud.size(), count, ranks_.rank() + 1);
  problem::Survey own;
  const double most = static_cast<double>(std::min(options_.sizes.read_points, end - begin));
  const double coordinates = cloud.is_float64() == std::is_same_v<T, double> ? 0 : static_cast<double>(d_) * sizeof(T);
  const base::MemoryCharge charge(options_.memory, most * (sizeof(std::uint32_t) + coordinates));
  std::vector<std::uint32_t> slices;
  std::vector<T> converted;
  const auto send_block = [&](std::int64_t row, const PointsView& points) {
    problem::Survey read = problem::survey(points, threads_);
    if (read.first_invalid >= 0) read.first_invalid += row;
    problem::append(own, read);
    const std::span<const T> all = coordinates_of<T>(points, converted);
    slices.resize(static_cast<std::size_t>(points.size()));
    post.send(
        points.size(),
        [&](std::int64_t i) {
          Coordinates point{};
          std::copy_n(all.data() + static_cast<std::size_t>(i) * d_, d_, point.begin());
          if (!std::ranges::all_of(point, [](double c) { return std::isfinite(c); })) return nowhere;
          const std::uint32_t slice = sections_.slice_of(curve_.position(point));
          slices[static_cast<std::size_t>(i)] = slice;
          const std::uint32_t section = CurveSections::section_of(slice);
          return is_data ? section : map_->home(section);
        },
        [&](std::int64_t i, std::span<std::byte> record) {
          const std::uint64_t slice = slices[static_cast<std::size_t>(i)] % CurveSections::k_slices;
          RecordWriter(record)
              .put(static_cast<std::uint64_t>(row + i) | slice << k_number_bits)
              .put(all.subspan(static_cast<std::size_t>(i) * d_, d_));
        });
  };
  // All ranks deliver as often: a share has a point more than another, at most
  const std::int64_t deliveries = cloud.size() / count / options_.sizes.read_points + 1;
  std::int64_t delivered = 0;
  cloud.for_each_block(begin, end, options_.sizes.read_points, [&](std::int64_t row, const PointsView& points) {
    send_block(row, points);
    post.deliver();
    ++delivered;
  });
  for (; delivered < deliveries; ++delivered) post.deliver();
  post.close();
  problem::Survey whole;
  for (const problem::Survey& share : ranks_.gather_value(own)) problem::append(whole, share);
  return whole;
}

template <class T>
void TileStore<T>::route_data(const PointSource& data) {
  data_.emplace(options_.folder, 0, options_.sizes.chunk_bytes, options_.memory);
  filled_.resize(sections_.size());
  Post post(ranks_, equal_shares(static_cast<std::int64_t>(sections_.size()), ranks_.size()), point_bytes(),
            options_.files(),
            [&](std::uint32_t section, std::span<const std::byte> records) { take_points(section, records); });
  for (std::size_t section = post.first(); section < post.first() + post.size(); ++section)
    open_tile(static_cast<std::uint32_t>(section));
  if (send_points(data, post, true).valid != of_data_.valid)
    throw Error(ErrorKind::bad_input, data.name() + ": changed while it was read");
  file_bytes_ = data_->file_bytes() + post.file_bytes();
  sent_bytes_ = post.sent_bytes();
  number_tiles();
}

template <class T>
void TileStore<T>::open_tile(std::uint32_t section) {
  Tile& tile = filled_[section].emplace_back();
  tile.boxes.section = section;
  tile.stream = data_->add_stream();
}

/// Takes points of the data that lie in one of this rank's sections. Several threads call it, each for another section.
template <class T>
void TileStore<T>::take_points(std::uint32_t section, std::span<const std::byte> records) {
  const std::uint64_t full = static_cast<std::uint64_t>(most_tile_points(options_.sizes.tile_points)) * point_bytes();
  while (!records.empty()) {
    if (data_->size(filled_[section].back().stream) >= full) open_tile(section);
    Tile& tile = filled_[section].back();
    const std::uint64_t room = std::max<std::uint64_t>(full - std::min(full, data_->size(tile.stream)), point_bytes());
    const std::size_t taken = std::min<std::uint64_t>(records.size(), room / point_bytes() * point_bytes());
    for (std::size_t at = 0; at < taken; at += point_bytes()) {
      RecordReader reader(records.subspan(at, point_bytes()));
      const auto number = reader.take<std::uint64_t>();
      T own[3];
      reader.take(std::span(own, d_));
      Coordinates point{};
      std::copy_n(own, d_, point.begin());
      tile.boxes.add(static_cast<std::uint32_t>(number >> k_number_bits), point, number_of(number));
    }
    data_->append(tile.stream, records.subspan(0, taken));
    records = records.subspan(taken);
  }
}

/// Tells each rank of the tiles of all ranks, which are numbered now.
template <class T>
void TileStore<T>::number_tiles() {
  std::vector<TileBoxes> own;
  for (const std::vector<Tile>& tiles : std::exchange(filled_, {}))
    for (const Tile& tile : tiles) {
      streams_.push_back(tile.stream);
      own.push_back(tile.boxes);
    }
  std::size_t first = 0;
  for (const std::size_t count : ranks_.gather_value(streams_.size())) {
    first_of_rank_.push_back(first);
    first += count;
  }
  first_of_rank_.push_back(first);
  const base::MemoryCharge charge(options_.memory, numbering_bytes(static_cast<double>(first)));
  map_charge_ = base::MemoryCharge(options_.memory, TileMap::bytes(static_cast<double>(first)));
  map_.emplace(static_cast<int>(d_), ranks_.gather_values(own));
}

template <class T>
void TileStore<T>::route_queries(const PointSource& queries, const std::string& data_name) {
  queries_.emplace(ranks_, first_of_rank_, point_bytes(), options_.files());
  of_queries_ = send_points(queries, *queries_, false);
  file_bytes_ += queries_->file_bytes();
  sent_bytes_ += queries_->sent_bytes();
  if (options_.search.invalid == InvalidPoints::error) problem::refuse_invalid(of_queries_, queries.name());
  problem::check_width(of_data_, of_queries_, data_name + " and " + queries.name(), static_cast<int>(d_));
}

template <class T>
NumberedPoints<T> TileStore<T>::points_of(std::span<const std::byte> bytes) const {
  const std::size_t n = bytes.size() / point_bytes();
  NumberedPoints<T> points{static_cast<int>(d_), Array<std::int64_t>(n), Array<T>(n * d_)};
  base::parallel_for(static_cast<std::int64_t>(n), threads_, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    RecordReader reader(bytes.subspan(at * point_bytes(), point_bytes()));
    points.numbers[at] = number_of(reader.take<std::uint64_t>());
    reader.take(std::span<T>(points.coordinates.data() + at * d_, d_));
  });
  return points;
}

template <class T>
std::int64_t TileStore<T>::points() const {
  std::uint64_t bytes = 0;
  for (const std::size_t stream : streams_) bytes += data_->size(stream);
  return static_cast<std::int64_t>(bytes / point_bytes());
}

template <class T>
NumberedPoints<T> TileStore<T>::data(std::size_t tile) const {
  const double held = static_cast<double>(data_->size(stream(tile)) / point_bytes());
  const base::MemoryCharge charge(options_.memory, loading_bytes(held, static_cast<double>(point_bytes())));
  NumberedPoints<T> points = points_of(data_->read(stream(tile), threads_));
  if (std::ranges::is_sorted(points.numbers)) return points;
  // They came from several ranks: those of each are in order, and its share of the numbers precedes that of the next
  const int count = ranks_.size();
  std::vector<std::size_t> place(static_cast<std::size_t>(count) + 1);  // where the next point of each group goes
  const auto owner = [&](std::int64_t number) {
    return static_cast<std::size_t>(share_owner(data_size_, count, number));
  };
  for (const std::int64_t number : points.numbers) ++place[owner(number) + 1];
  for (std::size_t r = 1; r < place.size(); ++r) place[r] += place[r - 1];
  NumberedPoints<T> sorted{points.dimensions, Array<std::int64_t>(points.numbers.size()),
                           Array<T>(points.coordinates.size())};
  for (std::int64_t i = 0; i < points.size(); ++i) {
    const std::int64_t number = points.numbers[static_cast<std::size_t>(i)];
    const std::size_t to = place[owner(number)]++;
    sorted.numbers[to] = number;
    std::ranges::copy(points.at(i), sorted.coordinates.begin() + static_cast<std::ptrdiff_t>(to * d_));
  }
  return sorted;
}

template class TileStore<float>;
template class TileStore<double>;

}  // namespace kann::flow
