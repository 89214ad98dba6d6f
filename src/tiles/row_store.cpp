#include "tiles/row_store.hpp"

#include <algorithm>
#include <limits>

#include "tiles/record.hpp"

namespace kann::tiles {

RowStore::RowStore(const std::string& folder, std::int64_t queries, std::int64_t k, std::int64_t block_rows,
                   std::size_t chunk)
    : queries_(queries),
      k_(k),
      block_rows_(block_rows),
      spool_(folder, static_cast<std::size_t>((queries + block_rows - 1) / block_rows), chunk),
      ids_(static_cast<std::size_t>(k)),
      distances_(static_cast<std::size_t>(k)) {}

std::size_t RowStore::row_bytes() const {
  return sizeof(std::int64_t) + static_cast<std::size_t>(k_) * (sizeof(std::int64_t) + sizeof(float));
}

void RowStore::add(std::int64_t query, std::span<const TileNeighbor> row) {
  write_row(row, ids_, distances_);
  RecordWriter(bytes_).put(query).put(std::span<const std::int64_t>(ids_)).put(std::span<const float>(distances_));
  spool_.append(static_cast<std::size_t>(query / block_rows_), bytes_);
}

void RowStore::for_each_block(const RowSink& sink) const {
  const auto k = static_cast<std::size_t>(k_);
  std::vector<std::int64_t> ids;
  std::vector<float> distances;
  for (std::int64_t first = 0; first < queries_; first += block_rows_) {
    const auto n = static_cast<std::size_t>(std::min(block_rows_, queries_ - first));
    ids.assign(n * k, k_missing_id);
    distances.assign(n * k, std::numeric_limits<float>::infinity());
    spool_.read(static_cast<std::size_t>(first / block_rows_), row_bytes(), [&](std::span<const std::byte> bytes) {
      RecordReader reader(bytes);
      const auto at = static_cast<std::size_t>(reader.take<std::int64_t>() - first) * k;
      reader.take(std::span(ids).subspan(at, k));
      reader.take(std::span(distances).subspan(at, k));
    });
    sink(first, ids, distances);
  }
}

}  // namespace kann::tiles
