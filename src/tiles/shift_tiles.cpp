#include "tiles/shift_tiles.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/parallel.hpp"
#include "comm/shares.hpp"
#include "geometry/window.hpp"
#include "tiles/shifts/parallel_sort.hpp"

namespace kann::tiles {
namespace {

constexpr std::size_t k_records_at_a_time = 1 << 16;

std::size_t first_tile(std::size_t tiles, const comm::Communicator& ranks, int rank) {
  return static_cast<std::size_t>(comm::share_begin(static_cast<std::int64_t>(tiles), ranks.size(), rank));
}

}  // namespace

template <class T, int D>
ShiftTiles<T, D>::ShiftTiles(const problem::Problem& p, const ShiftRecords<T, D>& records,
                             std::vector<Splitters> splitters, const TileOptions& options, comm::Communicator& ranks)
    : p_(p),
      records_(records),
      options_(options),
      ranks_(ranks),
      splitters_(std::move(splitters)),
      begin_(first_tile(size(), ranks, ranks.rank())),
      end_(first_tile(size(), ranks, ranks.rank() + 1)),
      data_(options.folder, 2 * (end_ - begin_), options.sizes.chunk_bytes),
      edges_(options.folder, end_ - begin_, options.sizes.chunk_bytes),
      mail_(ranks, ShiftRecords<T, D>::k_point_bytes, options.folder, options.sizes.chunk_bytes,
            [this](std::uint32_t stream, std::span<const std::byte> points) { data_.append(stream, points); }),
      batch_(ShiftRecords<T, D>::k_point_bytes, p.threads) {}

template <class T, int D>
typename ShiftTiles<T, D>::Address ShiftTiles<T, D>::address(int shift, std::size_t tile) const {
  const int rank = comm::share_owner(static_cast<std::int64_t>(size()), ranks_.size(), static_cast<std::int64_t>(tile));
  const std::size_t first = first_tile(size(), ranks_, rank), end = first_tile(size(), ranks_, rank + 1);
  return {rank, static_cast<std::uint32_t>(static_cast<std::size_t>(shift % 2) * (end - first) + (tile - first))};
}

template <class T, int D>
void ShiftTiles<T, D>::send(int shift, std::span<const Point> points) {
  batch_.make(
      std::ssize(points), static_cast<std::uint32_t>(size()),
      [&](std::int64_t i) {
        return static_cast<std::uint32_t>(splitters(shift).of_point(points[static_cast<std::size_t>(i)].key));
      },
      [&](std::int64_t i, std::span<std::byte> record) {
        ShiftRecords<T, D>::write(points[static_cast<std::size_t>(i)], record);
      });
  batch_.for_each_group([&](std::uint32_t tile, std::span<const std::byte> records) {
    const Address to = address(shift, tile);
    mail_.send(to.rank, to.stream, records);
  });
}

template <class T, int D>
void ShiftTiles<T, D>::arrange(int shift) {
  mail_.deliver();
  std::vector<std::int64_t> own;
  for (std::size_t t = begin_; t < end_; ++t)
    own.push_back(static_cast<std::int64_t>(data_.size(address(shift, t).stream) / ShiftRecords<T, D>::k_point_bytes));
  first_ = {0};
  for (const std::int64_t points : ranks_.gather_values(own)) first_.push_back(first_.back() + points);
  comm::Mail mail(ranks_, ShiftRecords<T, D>::k_point_bytes, options_.folder, options_.sizes.chunk_bytes,
                  [this](std::uint32_t place, std::span<const std::byte> records) { edges_.append(place, records); });
  for (std::size_t t = begin_; t < end_; ++t) send_edges(shift, t, mail);
  mail.deliver();
  sent_edges_ += mail.sent_bytes();
}

template <class T, int D>
geometry::Window ShiftTiles<T, D>::reached(std::size_t tile) const {
  return {geometry::window_around(first_[tile], p_.window, p_.data_count).begin,
          geometry::window_around(first_[tile + 1], p_.window, p_.data_count).end};
}

/// Appends points, with their keys in a shift.
template <class T, int D>
void ShiftTiles<T, D>::append(int shift, std::span<const std::byte> records, std::vector<Point>& to) const {
  constexpr std::size_t bytes = ShiftRecords<T, D>::k_point_bytes;
  const std::size_t before = to.size();
  to.resize(before + records.size() / bytes);
  base::parallel_for(static_cast<std::int64_t>(to.size() - before), p_.threads, [&](std::int64_t i) {
    Point& point = to[before + static_cast<std::size_t>(i)];
    records_.read(records.subspan(static_cast<std::size_t>(i) * bytes, bytes), point);
    point.key.key = shift_key<D>(p_, shift, point.in_frame);
  });
}

/// Sends the points of a tile that windows of other tiles reach.
template <class T, int D>
void ShiftTiles<T, D>::send_edges(int shift, std::size_t tile, comm::Mail& mail) {
  const std::int64_t begin = first_[tile], end = first_[tile + 1];
  if (begin == end) return;
  std::vector<std::pair<std::size_t, geometry::Window>> to;  // places of this tile
  std::int64_t head = begin, tail = end;                     // the end of the first, and the begin of the last ones
  for (std::size_t t = tile; t-- > 0 && reached(t).end > begin;) {
    to.emplace_back(t, geometry::Window{begin, std::min(end, reached(t).end)});
    head = std::max(head, to.back().second.end);
  }
  for (std::size_t t = tile + 1; t < size() && reached(t).begin < end; ++t) {
    to.emplace_back(t, geometry::Window{std::max(begin, reached(t).begin), end});
    tail = std::min(tail, to.back().second.begin);
  }
  if (to.empty()) return;

  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(end - begin));
  data_.read(address(shift, tile).stream, k_records_at_a_time * ShiftRecords<T, D>::k_point_bytes,
             [&](std::span<const std::byte> records) { append(shift, records, points); });
  if (head < tail) {
    std::ranges::nth_element(points, points.begin() + (head - begin), {}, &Point::key);
    std::ranges::nth_element(points.begin() + (head - begin), points.begin() + (tail - begin), points.end(), {},
                             &Point::key);
    std::ranges::sort(points.begin(), points.begin() + (head - begin), {}, &Point::key);
    std::ranges::sort(points.begin() + (tail - begin), points.end(), {}, &Point::key);
  } else {
    parallel_sort(points, &Point::key, p_.threads);
  }
  constexpr std::size_t bytes = ShiftRecords<T, D>::k_point_bytes;
  std::vector<std::byte> records;
  for (const auto& [other, places] : to) {
    records.resize(static_cast<std::size_t>(places.end - places.begin) * bytes);
    for (std::int64_t at = places.begin; at < places.end; ++at)
      ShiftRecords<T, D>::write(points[static_cast<std::size_t>(at - begin)],
                                std::span(records).subspan(static_cast<std::size_t>(at - places.begin) * bytes, bytes));
    const Address address_of_other = address(0, other);
    mail.send(address_of_other.rank, address_of_other.stream, records);
  }
}

template <class T, int D>
typename ShiftTiles<T, D>::Loaded ShiftTiles<T, D>::take(int shift, std::size_t tile) {
  Loaded loaded;
  const geometry::Window window = reached(tile);
  const std::int64_t begin = first_[tile], end = first_[tile + 1];
  loaded.tile.first = std::min(window.begin, begin);
  std::vector<Point>& points = loaded.tile.points;
  points.reserve(static_cast<std::size_t>(std::max(window.end, end) - loaded.tile.first));
  const auto append_all = [&](std::span<const std::byte> records) { append(shift, records, points); };
  constexpr std::size_t part = k_records_at_a_time * ShiftRecords<T, D>::k_point_bytes;
  data_.take(address(shift, tile).stream, part, append_all);
  edges_.take(tile - begin_, part, append_all);
  parallel_sort(points, &Point::key, p_.threads);
  loaded.own = std::span<const Point>(points).subspan(static_cast<std::size_t>(begin - loaded.tile.first),
                                                      static_cast<std::size_t>(end - begin));
  loaded.first = begin;
  return loaded;
}

template class ShiftTiles<float, 2>;
template class ShiftTiles<float, 3>;
template class ShiftTiles<double, 2>;
template class ShiftTiles<double, 3>;

}  // namespace kann::tiles
