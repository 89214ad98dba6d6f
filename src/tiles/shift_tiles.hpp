// The data of a shifted sort in tiles of one shift after the other.
//
// A tile is a run of the order of a shift, in which the windows of its queries begin or end; the rest of these is in
// the tiles beside it, which send it their edges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/mail.hpp"
#include "comm/record_batch.hpp"
#include "io/files/spool.hpp"
#include "problem/problem.hpp"
#include "tiles/shift_records.hpp"
#include "tiles/shifts/order_key.hpp"
#include "tiles/tile_options.hpp"

namespace kann::tiles {

template <class T, int D>
class ShiftTiles {
 public:
  using Point = ShiftPoint<T, D>;

  /// `p` is the search in all of the data; `splitters` are those of its shifts, each of as many tiles. Keeps
  /// references.
  ShiftTiles(const problem::Problem& p, const ShiftRecords<T, D>& records, std::vector<Splitters> splitters,
             const TileOptions& options, comm::Communicator& ranks);

  std::size_t size() const { return splitters_.front().tiles(); }  ///< tiles of all ranks
  std::size_t begin() const { return begin_; }                     ///< this rank has the tiles from here
  std::size_t end() const { return end_; }                         ///< to before here

  /// Where what belongs to a tile goes, and its number among the tiles of that rank in two shifts.
  struct Address {
    int rank;
    std::uint32_t stream;
  };
  Address address(int shift, std::size_t tile) const;
  const Splitters& splitters(int shift) const { return splitters_[static_cast<std::size_t>(shift)]; }

  /// Sends points to their tiles in a shift, whose keys they have. @throws as comm::Mail::send().
  void send(int shift, std::span<const Point> points);

  /// To be called when all points were sent to their tiles in a shift, and before they are taken; blocks. All ranks
  /// call it. @throws as comm::Mail::deliver(), std::bad_alloc.
  void arrange(int shift);

  struct Loaded {
    ShiftTile<T, D> tile;
    std::span<const Point> own;  ///< without those of other tiles
    std::int64_t first = 0;      ///< place of the first of these
  };

  /// A tile of this rank in an arranged shift, which is forgotten. Blocks. @throws Error resources, std::bad_alloc.
  Loaded take(int shift, std::size_t tile);

  std::uint64_t file_bytes() const { return data_.file_bytes() + edges_.file_bytes() + mail_.file_bytes(); }
  std::uint64_t sent_bytes() const { return mail_.sent_bytes() + sent_edges_; }

 private:
  /// The places that windows of queries in a tile reach.
  geometry::Window reached(std::size_t tile) const;
  void append(int shift, std::span<const std::byte> records, std::vector<Point>& to) const;
  void send_edges(int shift, std::size_t tile, comm::Mail& mail);

  const problem::Problem& p_;
  const ShiftRecords<T, D>& records_;
  const TileOptions& options_;
  comm::Communicator& ranks_;
  std::vector<Splitters> splitters_;
  std::size_t begin_, end_;
  io::Spool data_;                   // of two shifts, by tiles of this rank
  io::Spool edges_;                  // of other tiles, by tiles of this rank
  comm::Mail mail_;                  // to data_
  std::uint64_t sent_edges_ = 0;     // bytes
  std::vector<std::int64_t> first_;  // place of the first point of each tile in the arranged shift; the end of all
  comm::RecordBatch batch_;          // of points that are sent
};

}  // namespace kann::tiles
