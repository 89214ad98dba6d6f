// Points and queries of a shifted sort as records, in temporary files and between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "comm/record.hpp"
#include "problem/frame.hpp"
#include "tiles/shifts/nearest_seen.hpp"
#include "tiles/shifts/shift_points.hpp"

namespace kann::tiles {

/// Coordinates are there as they were given. T is their type.
template <class T, int D>
class ShiftRecords {
 public:
  ShiftRecords(const problem::Frame& frame, std::size_t list_size) : frame_(frame), list_size_(list_size) {}

  static constexpr std::size_t k_point_bytes = 2 * sizeof(std::int64_t) + D * sizeof(T);
  /// Of a query before the first shift, or after the last.
  static constexpr std::size_t k_new_query_bytes = sizeof(std::int64_t) + D * sizeof(T);
  std::size_t query_bytes() const {
    return k_new_query_bytes + sizeof(geometry::Evidence) + sizeof(std::int64_t) + sizeof(std::int32_t) +
           sizeof(float) + list_size_ * (sizeof(float) + sizeof(SeenPoint));
  }

  static void write(const ShiftPoint<T, D>& point, std::span<std::byte> record) {
    comm::RecordWriter(record).put(point.key.row).put(point.place).put(std::span<const T>(point.given));
  }
  /// The key of a point is not in its record, but for the row.
  void read(std::span<const std::byte> record, ShiftPoint<T, D>& point) const {
    comm::RecordReader reader(record);
    point.key.row = reader.take<std::int64_t>();
    point.place = reader.take<std::int64_t>();
    take_coordinates(reader, point);
  }

  static void write_new(std::int64_t row, const T* given, std::span<std::byte> record) {
    comm::RecordWriter(record).put(row).put(std::span<const T>(given, D));
  }
  void read_new(std::span<const std::byte> record, ShiftQuery<T, D>& query) const {
    comm::RecordReader reader(record);
    query.row = reader.take<std::int64_t>();
    take_coordinates(reader, query);
  }

  static void write(const ShiftQuery<T, D>& query, const NearestSeen& seen, std::span<std::byte> record) {
    comm::RecordWriter(record)
        .put(query.row)
        .put(std::span<const T>(query.given))
        .put(query.evidence)
        .put(query.first_begin)
        .put(query.end_bits)
        .put(query.nearest_cut)
        .put(std::span<const float>(seen.sq_dists))
        .put(std::span<const SeenPoint>(seen.points));
  }
  void read(std::span<const std::byte> record, ShiftQuery<T, D>& query, const NearestSeen& seen) const {
    comm::RecordReader reader(record);
    query.row = reader.take<std::int64_t>();
    take_coordinates(reader, query);
    query.evidence = reader.take<geometry::Evidence>();
    query.first_begin = reader.take<std::int64_t>();
    query.end_bits = reader.take<std::int32_t>();
    query.nearest_cut = reader.take<float>();
    reader.take(seen.sq_dists);
    reader.take(seen.points);
  }

 private:
  template <class Point>
  void take_coordinates(comm::RecordReader& reader, Point& to) const {
    T given[D];
    reader.take(std::span<T>(given));
    place<D>(frame_, given, to);
  }

  problem::Frame frame_;
  std::size_t list_size_;
};

}  // namespace kann::tiles
