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
#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/shares.hpp"
#include "problem/prepare.hpp"
#include "problem/valid_points.hpp"

namespace kann::flow {
namespace {

using Clock = std::chrono::steady_clock;

/// In a record, the number of a point, and above it the part of its run that it lies in.
constexpr int k_row_bits = 57;

std::int64_t row_of(std::uint64_t number) {
  return static_cast<std::int64_t>(number & ((std::uint64_t{1} << k_row_bits) - 1));
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
TileStore<T>::TileStore(const PointSource& data, const TileQueries& queries, const TileOptions& options,
                        Communicator& ranks)
    : ranks_(ranks),
      options_(options),
      d_(static_cast<std::size_t>(data.dimensions())),
      threads_(base::thread_count(options.search.threads)) {
  const auto start = Clock::now();
  divide_data(data);
  if (!std::holds_alternative<CloudQueries>(queries))
    problem::check_width(of_data_, of_data_, data.name(), data.dimensions());
  survey_seconds_ = base::seconds_since(start);
  const auto surveyed = Clock::now();
  route_data(data);
  if (const auto* const cloud = std::get_if<CloudQueries>(&queries)) route_queries(cloud->cloud, data.name());
  if (const auto* const records = std::get_if<RecordedQueries>(&queries)) route_records(records->records);
  order_seconds_ = base::seconds_since(surveyed);
}

template <class T>
void TileStore<T>::divide_data(const PointSource& data) {
  const CloudSurvey found = survey(data, options_.sizes.read_points, threads_, ranks_, options_.memory);
  of_data_.box = found.box;
  of_data_.valid = found.valid;
  of_data_.invalid = found.invalid;
  of_data_.first_invalid = found.first_invalid;
  if (options_.search.invalid == InvalidPoints::error) problem::refuse_invalid(of_data_, data.name());
  data_size_ = data.size();
  curve_ = Curve(found.box, found.sample, data.dimensions());
  const std::int64_t share = (found.valid + ranks_.size() - 1) / ranks_.size();
  const std::int64_t runs_of_rank = (share + options_.sizes.tile_points - 1) / options_.sizes.tile_points;
  runs_ = divide(found, curve_, data.dimensions(), ranks_.size() * std::max<std::int64_t>(1, runs_of_rank));
}

template <class T>
int TileStore<T>::run_owner(std::uint32_t run) const {
  return share_owner(static_cast<std::int64_t>(runs_.size()), ranks_.size(), run);
}

/// Sends all finite points of this rank's share, as records, to their runs if they are data, else to the tiles that
/// they are searched in first. All ranks do so at once. Returns the survey of all of the cloud.
template <class T>
problem::Survey TileStore<T>::send_points(const PointSource& cloud, RecordExchange& exchange, bool is_data) {
  constexpr std::uint32_t nowhere = RecordBatch::k_nowhere;
  const int count = ranks_.size();
  const std::int64_t begin = share_begin(cloud.size(), count, ranks_.rank());
  const std::int64_t end = share_begin(cloud.size(), count, ranks_.rank() + 1);
  problem::Survey own;
  RecordBatch batch(point_bytes(), threads_, options_.memory);
  const double most = static_cast<double>(std::min(options_.sizes.read_points, end - begin));
  const double coordinates = cloud.is_float64() == std::is_same_v<T, double> ? 0 : static_cast<double>(d_) * sizeof(T);
  const base::MemoryCharge charge(options_.memory, most * (sizeof(std::uint32_t) + coordinates));
  std::vector<std::uint32_t> parts;
  std::vector<T> converted;
  const auto send_block = [&](std::int64_t row, const PointsView& points) {
    problem::Survey read = problem::survey(points, threads_);
    if (read.first_invalid >= 0) read.first_invalid += row;
    problem::append(own, read);
    const std::span<const T> all = coordinates_of<T>(points, converted);
    parts.resize(static_cast<std::size_t>(points.size()));
    batch.make(
        points.size(), static_cast<std::uint32_t>(is_data ? runs_.size() : map_->size()),
        [&](std::int64_t i) {
          Coordinates point{};
          bool is_finite = true;
          for (std::size_t a = 0; a < d_; ++a) {
            point[a] = all[static_cast<std::size_t>(i) * d_ + a];
            is_finite &= std::isfinite(point[a]);
          }
          std::uint32_t& part = parts[static_cast<std::size_t>(i)];
          part = is_finite ? runs_.part_of(curve_.position(point)) : nowhere;
          return !is_finite ? nowhere : is_data ? Runs::run_of(part) : map_->home(Runs::run_of(part));
        },
        [&](std::int64_t i, std::span<std::byte> record) {
          const std::uint64_t part = parts[static_cast<std::size_t>(i)] % Runs::k_parts;
          RecordWriter(record)
              .put(static_cast<std::uint64_t>(row + i) | part << k_row_bits)
              .put(all.subspan(static_cast<std::size_t>(i) * d_, d_));
        });
    batch.for_each_group([&](std::uint32_t to, std::span<const std::byte> records) {
      exchange.send(is_data ? run_owner(to) : owner(to), to, records);
    });
  };
  // All ranks deliver as often: a share has a point more than another, at most
  const std::int64_t deliveries = cloud.size() / count / options_.sizes.read_points + 1;
  std::int64_t delivered = 0;
  cloud.for_each_block(begin, end, options_.sizes.read_points, [&](std::int64_t row, const PointsView& points) {
    send_block(row, points);
    exchange.deliver();
    ++delivered;
  });
  for (; delivered < deliveries; ++delivered) exchange.deliver();
  problem::Survey whole;
  for (const problem::Survey& share : ranks_.gather_value(own)) problem::append(whole, share);
  return whole;
}

template <class T>
void TileStore<T>::route_data(const PointSource& data) {
  data_.emplace(options_.folder, 0, options_.sizes.chunk_bytes, options_.memory);
  filled_.resize(runs_.size());
  for (std::uint32_t run = 0; run < runs_.size(); ++run)
    if (run_owner(run) == ranks_.rank()) open_tile(run);
  RecordExchange exchange(
      ranks_, point_bytes(), options_.folder, options_.sizes.chunk_bytes,
      [&](std::uint32_t run, std::span<const std::byte> records) { take_points(run, records); }, options_.memory);
  if (send_points(data, exchange, true).valid != of_data_.valid)
    throw Error(ErrorKind::bad_input, data.name() + ": changed while it was read");
  file_bytes_ = data_->file_bytes() + exchange.file_bytes();
  sent_bytes_ = exchange.sent_bytes();
  number_tiles();
}

template <class T>
void TileStore<T>::open_tile(std::uint32_t run) {
  Tile& tile = filled_[run].emplace_back();
  tile.boxes.run = run;
  tile.stream = data_->add_stream();
}

/// Takes points of the data that lie in one of this rank's runs. Several threads do, each of another run.
template <class T>
void TileStore<T>::take_points(std::uint32_t run, std::span<const std::byte> records) {
  const std::uint64_t full = static_cast<std::uint64_t>(most_tile_points(options_.sizes.tile_points)) * point_bytes();
  while (!records.empty()) {
    if (data_->size(filled_[run].back().stream) >= full) open_tile(run);
    Tile& tile = filled_[run].back();
    const std::uint64_t room = std::max<std::uint64_t>(full - std::min(full, data_->size(tile.stream)), point_bytes());
    const std::size_t taken = std::min<std::uint64_t>(records.size(), room / point_bytes() * point_bytes());
    for (std::size_t at = 0; at < taken; at += point_bytes()) {
      RecordReader reader(records.subspan(at, point_bytes()));
      const auto number = reader.take<std::uint64_t>();
      T own[3];
      reader.take(std::span(own, d_));
      Coordinates point{};
      std::copy_n(own, d_, point.begin());
      tile.boxes.add(static_cast<std::uint32_t>(number >> k_row_bits), point, row_of(number));
    }
    data_->append(tile.stream, records.subspan(0, taken));
    records = records.subspan(taken);
  }
}

/// Tells all ranks of the tiles of all.
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
  const base::MemoryCharge charge(options_.memory, numbering_bytes(static_cast<double>(first)));
  map_charge_ = base::MemoryCharge(options_.memory, TileMap::bytes(static_cast<double>(first)));
  map_.emplace(static_cast<int>(d_), ranks_.gather_values(own));
}

template <class T>
void TileStore<T>::route_queries(const PointSource& queries, const std::string& data_name) {
  queries_.emplace(options_.folder, size(), options_.sizes.chunk_bytes, options_.memory);
  RecordExchange exchange(
      ranks_, point_bytes(), options_.folder, options_.sizes.chunk_bytes,
      [&](std::uint32_t tile, std::span<const std::byte> record) { queries_->append(tile - first(), record); },
      options_.memory);
  of_queries_ = send_points(queries, exchange, false);
  if (options_.search.invalid == InvalidPoints::error) problem::refuse_invalid(of_queries_, queries.name());
  problem::check_width(of_data_, of_queries_, data_name + " and " + queries.name(), static_cast<int>(d_));
  file_bytes_ += queries_->file_bytes() + exchange.file_bytes();
  sent_bytes_ += exchange.sent_bytes();
}

/// Sends the queries of sequence 0, records of points with their numbers, to the tiles that they lie in, and forgets
/// them. All ranks do so at once.
template <class T>
void TileStore<T>::route_records(formats::Spool& queries) {
  queries_.emplace(options_.folder, size(), options_.sizes.chunk_bytes, options_.memory);
  RecordExchange exchange(
      ranks_, point_bytes(), options_.folder, options_.sizes.chunk_bytes,
      [&](std::uint32_t tile, std::span<const std::byte> records) { queries_->append(tile - first(), records); },
      options_.memory);
  RecordBatch batch(point_bytes(), threads_, options_.memory);
  queries.take(
      0, static_cast<std::size_t>(options_.sizes.read_points) * point_bytes(), [&](std::span<const std::byte> records) {
        const base::MemoryCharge charge(options_.memory, static_cast<double>(records.size()));
        const NumberedPoints<T> points = points_of(records);
        batch.make(
            points.size(), static_cast<std::uint32_t>(map_->size()),
            [&](std::int64_t i) { return map_->home(Runs::run_of(runs_.part_of(curve_.position(points.point(i))))); },
            [&](std::int64_t i, std::span<std::byte> record) {
              std::ranges::copy(records.subspan(static_cast<std::size_t>(i) * point_bytes(), point_bytes()),
                                record.begin());
            });
        batch.for_each_group(
            [&](std::uint32_t tile, std::span<const std::byte> group) { exchange.send(owner(tile), tile, group); });
      });
  exchange.deliver();
  sent_bytes_ += exchange.sent_bytes();
  file_bytes_ += queries_->file_bytes() + exchange.file_bytes();
}

template <class T>
NumberedPoints<T> TileStore<T>::points_of(std::span<const std::byte> bytes) const {
  const std::size_t n = bytes.size() / point_bytes();
  NumberedPoints<T> points{static_cast<int>(d_), Array<std::int64_t>(n), Array<T>(n * d_)};
  base::parallel_for(static_cast<std::int64_t>(n), threads_, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    RecordReader reader(bytes.subspan(at * point_bytes(), point_bytes()));
    points.rows[at] = row_of(reader.take<std::uint64_t>());
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
  if (std::ranges::is_sorted(points.rows)) return points;
  // They came from several ranks, whose shares follow each other: from each in order
  const int count = ranks_.size();
  std::vector<std::size_t> place(static_cast<std::size_t>(count) + 1);  // where the next point of each group goes
  const auto owner = [&](std::int64_t row) { return static_cast<std::size_t>(share_owner(data_size_, count, row)); };
  for (const std::int64_t row : points.rows) ++place[owner(row) + 1];
  for (std::size_t r = 1; r < place.size(); ++r) place[r] += place[r - 1];
  NumberedPoints<T> sorted{points.dimensions, Array<std::int64_t>(points.rows.size()),
                           Array<T>(points.coordinates.size())};
  for (std::int64_t i = 0; i < points.size(); ++i) {
    const std::int64_t row = points.rows[static_cast<std::size_t>(i)];
    const std::size_t to = place[owner(row)]++;
    sorted.rows[to] = row;
    std::ranges::copy(points.at(i), sorted.coordinates.begin() + static_cast<std::ptrdiff_t>(to * d_));
  }
  return sorted;
}

template class TileStore<float>;
template class TileStore<double>;

}  // namespace kann::flow
