#include "tiles/row_store.hpp"

#include <algorithm>
#include <limits>

#include "comm/shares.hpp"
#include "tiles/record.hpp"

namespace kann::tiles {
namespace {

/// What rank 0 asks for in the place of a block.
constexpr std::int64_t k_end_of_service = -1;

}  // namespace

RowStore::RowStore(comm::Communicator& ranks, const std::string& folder, std::int64_t queries, std::int64_t k,
                   std::int64_t block_rows, std::size_t chunk)
    : ranks_(ranks), queries_(queries), k_(k), block_rows_(block_rows) {
  const std::int64_t first = first_block(ranks.rank()), end = first_block(ranks.rank() + 1);
  spool_ = std::make_unique<io::Spool>(folder, static_cast<std::size_t>(end - first), chunk);
  mail_ = std::make_unique<comm::Mail>(
      ranks, row_bytes(), folder, chunk,
      [spool = spool_.get()](std::uint32_t place, std::span<const std::byte> row) { spool->append(place, row); });
  row_.ids.resize(static_cast<std::size_t>(k));
  row_.distances.resize(static_cast<std::size_t>(k));
}

std::size_t RowStore::row_bytes() const {
  return sizeof(std::int64_t) + static_cast<std::size_t>(k_) * (sizeof(std::int64_t) + sizeof(float));
}

std::int64_t RowStore::first_block(int rank) const { return comm::share_begin(blocks(), ranks_.size(), rank); }

std::int64_t RowStore::first_row(int rank) const { return std::min(queries_, first_block(rank) * block_rows_); }

void RowStore::add(std::int64_t query, std::span<const TileNeighbor> row) {
  write_row(row, row_.ids, row_.distances);
  RecordWriter(bytes_)
      .put(query)
      .put(std::span<const std::int64_t>(row_.ids))
      .put(std::span<const float>(row_.distances));
  const std::int64_t block = query / block_rows_;
  const int owner = comm::share_owner(blocks(), ranks_.size(), block);
  mail_->send(owner, static_cast<std::uint32_t>(block - first_block(owner)), bytes_);
}

/// A block of this rank.
RowStore::Block RowStore::read(std::int64_t block) const {
  const auto k = static_cast<std::size_t>(k_);
  const std::int64_t first = block * block_rows_;
  const auto n = static_cast<std::size_t>(std::min(block_rows_, queries_ - first));
  Block rows{std::vector<std::int64_t>(n * k, k_missing_id),
             std::vector<float>(n * k, std::numeric_limits<float>::infinity())};
  spool_->read(static_cast<std::size_t>(block - first_block(ranks_.rank())), row_bytes(),
               [&](std::span<const std::byte> bytes) {
                 RecordReader reader(bytes);
                 const auto at = static_cast<std::size_t>(reader.take<std::int64_t>() - first) * k;
                 reader.take(std::span(rows.ids).subspan(at, k));
                 reader.take(std::span(rows.distances).subspan(at, k));
               });
  return rows;
}

void RowStore::for_each_own_block(const RowSink& sink) const {
  for (std::int64_t b = first_block(ranks_.rank()); b < first_block(ranks_.rank() + 1); ++b) {
    const Block rows = read(b);
    sink(b * block_rows_, rows.ids, rows.distances);
  }
}

/// On rank 0, a block of another.
RowStore::Block RowStore::fetch(std::int64_t block) const {
  ranks_.gather_value(block);
  const auto owner = static_cast<std::size_t>(comm::share_owner(blocks(), ranks_.size(), block));
  const std::vector<comm::Bytes> sent =
      ranks_.exchange(std::vector<comm::Bytes>(static_cast<std::size_t>(ranks_.size())));
  const std::size_t neighbors = sent[owner].size() / (sizeof(std::int64_t) + sizeof(float));
  Block rows{std::vector<std::int64_t>(neighbors), std::vector<float>(neighbors)};
  RecordReader reader(sent[owner]);
  reader.take(std::span(rows.ids));
  reader.take(std::span(rows.distances));
  return rows;
}

void RowStore::for_each_block(const RowSink& sink) const {
  for (std::int64_t b = 0; b < blocks(); ++b) {
    const Block rows = b < first_block(1) ? read(b) : fetch(b);
    sink(b * block_rows_, rows.ids, rows.distances);
  }
}

void RowStore::serve() const {
  for (;;) {
    const std::int64_t block = ranks_.gather_value(k_end_of_service).front();
    if (block == k_end_of_service) return;
    std::vector<comm::Bytes> to(static_cast<std::size_t>(ranks_.size()));
    if (comm::share_owner(blocks(), ranks_.size(), block) == ranks_.rank()) {
      const Block rows = read(block);
      RecordWriter(to.front()).put(std::span<const std::int64_t>(rows.ids)).put(std::span<const float>(rows.distances));
    }
    ranks_.exchange(std::move(to));
  }
}

void RowStore::end_service() const {
  if (!ranks_.is_alone()) ranks_.gather_value(k_end_of_service);
}

}  // namespace kann::tiles
