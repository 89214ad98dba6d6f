// Finished rows, which come in any order, in a temporary file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/files/spool.hpp"
#include "tiles/tile_rows.hpp"

namespace kann::tiles {

/// Rows of the result: those of the queries from number `first` on.
using RowSink =
    std::function<void(std::int64_t first, std::span<const std::int64_t> ids, std::span<const float> distances)>;

class RowStore {
 public:
  /// For `queries` rows of k, which are given in blocks of `block_rows`, whose size bounds the memory.
  /// @param chunk as that of io::Spool
  RowStore(const std::string& folder, std::int64_t queries, std::int64_t k, std::int64_t block_rows, std::size_t chunk);

  std::int64_t queries() const { return queries_; }
  std::int64_t k() const { return k_; }
  std::uint64_t file_bytes() const { return spool_.file_bytes(); }

  /// Takes the row of a query. @throws Error resources.
  void add(std::int64_t query, std::span<const TileNeighbor> row);

  /// Gives all rows in their order, as often as it is called; rows that were not added are missing neighbours. Blocks.
  /// @throws Error resources, and what `sink` throws.
  void for_each_block(const RowSink& sink) const;

 private:
  std::size_t row_bytes() const;

  std::int64_t queries_, k_, block_rows_;
  io::Spool spool_;
  std::vector<std::byte> bytes_;  // of the row that is added
  std::vector<std::int64_t> ids_;
  std::vector<float> distances_;
};

}  // namespace kann::tiles
