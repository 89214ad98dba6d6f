#include "flow/rows/row_store.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "base/threads/made_ahead.hpp"
#include "base/threads/parallel.hpp"
#include "flow/ranks/block_service.hpp"
#include "flow/ranks/record.hpp"
#include "flow/ranks/shares.hpp"
#include "geometry/exact_neighbor.hpp"

namespace kann::flow {
void RowCounts::add(std::span<const detail::Candidate> row) {
  std::size_t given = 0;
  for (const detail::Candidate& neighbor : row) {
    if (!is_given(neighbor)) continue;
    ++given;
    most_sq_dist = std::max(most_sq_dist, neighbor.sq_dist);
    past_float32 += neighbor.sq_dist >= 0x1p255 && std::isinf(geometry::rounded_root(neighbor.sq_dist));
  }
  neighbors += static_cast<std::int64_t>(given);
  full_rows += given == row.size();
}

void RowCounts::add(const RowCounts& other) {
  neighbors += other.neighbors;
  full_rows += other.full_rows;
  past_float32 += other.past_float32;
  most_sq_dist = std::max(most_sq_dist, other.most_sq_dist);
}

std::int64_t RowStore::rows_of_block(std::int64_t queries, std::int64_t most, int ranks) {
  constexpr std::int64_t blocks_a_rank = 16;
  return ranks == 1 ? most : std::clamp<std::int64_t>(queries / (blocks_a_rank * ranks), 1, most);
}

RowStore::RowStore(Communicator& ranks, const std::string& folder, std::int64_t queries, std::int64_t k,
                   std::int64_t block_rows, bool has_wide_ids, std::size_t chunk, int threads,
                   base::MemoryBudget* memory, std::optional<AngleUnit> sky)
    : ranks_(ranks),
      queries_(queries),
      k_(k),
      block_rows_(rows_of_block(queries, block_rows, ranks.size())),
      has_wide_ids_(has_wide_ids),
      memory_(memory),
      sky_(sky),
      batch_(row_bytes(), threads, memory),
      first_distances_(queries),
      threads_(threads) {
  const std::int64_t first = first_block(ranks.rank()), end = first_block(ranks.rank() + 1);
  spool_ = std::make_unique<formats::Spool>(folder, static_cast<std::size_t>(end - first), chunk, memory);
  exchange_ = std::make_unique<RecordExchange>(
      ranks, row_bytes(), folder, chunk,
      [spool = spool_.get()](std::uint32_t place, std::span<const std::byte> rows) { spool->append(place, rows); },
      memory);
}

std::size_t RowStore::row_bytes() const {
  return static_cast<std::size_t>(row_bytes(static_cast<double>(k_), has_wide_ids_));
}

std::int64_t RowStore::first_block(int rank) const { return share_begin(blocks(), ranks_.size(), rank); }

std::int64_t RowStore::first_row(int rank) const { return std::min(queries_, first_block(rank) * block_rows_); }

void RowStore::add(std::span<const std::int64_t> queries, std::span<const detail::Candidate> rows,
                   std::span<const std::uint8_t> finished) {
  const auto k = static_cast<std::size_t>(k_);
  std::vector<RowCounts> parts(static_cast<std::size_t>(threads_));
  base::parallel_blocks(std::ssize(queries), threads_, [&](int part, std::int64_t begin, std::int64_t end) {
    RowCounts counts;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (finished[i]) counts.add(rows.subspan(i * k, k));
    parts[static_cast<std::size_t>(part)] = counts;
  });
  for (const RowCounts& part : parts) counts_.add(part);
  add(queries, finished, [&](std::size_t i, std::span<std::int64_t> ids, std::span<float> distances) {
    detail::write_row(rows.subspan(i * k, k), sky_, ids, distances);
  });
}

void RowStore::add(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished, const FillRow& fill) {
  const auto k = static_cast<std::size_t>(k_);
  batch_.make(
      std::ssize(queries), static_cast<std::uint32_t>(blocks()),
      [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        return finished[at] ? static_cast<std::uint32_t>(queries[at] / block_rows_) : RecordBatch::k_nowhere;
      },
      [&](std::int64_t i, std::span<std::byte> record) {
        const auto at = static_cast<std::size_t>(i);
        thread_local Array<std::int64_t> ids;
        thread_local Array<float> distances;
        ids.resize(k);
        distances.resize(k);
        fill(at, ids, distances);
        first_distances_.add(queries[at], ids[0], distances[0]);
        RecordWriter writer(record);
        writer.put(static_cast<std::uint32_t>(queries[at] % block_rows_));
        if (has_wide_ids_)
          writer.put(std::span<const std::int64_t>(ids));
        else
          for (const std::int64_t id : ids) writer.put(static_cast<std::int32_t>(id));
        writer.put(std::span<const float>(distances));
      });
  batch_.for_each_group([&](std::uint32_t block, std::span<const std::byte> records) {
    const int owner = share_owner(blocks(), ranks_.size(), block);
    exchange_->send(owner, static_cast<std::uint32_t>(block - first_block(owner)), records);
  });
}

void RowStore::add_full(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished, double farthest,
                        const FillRow& fill) {
  const auto rows = std::ssize(finished) - std::ranges::count(finished, 0);
  counts_.add({.neighbors = rows * k_, .full_rows = rows, .past_float32 = 0, .most_sq_dist = farthest * farthest});
  add(queries, finished, fill);
}

void RowStore::add_consecutive(std::int64_t first, const Neighbors& rows) {
  const auto k = static_cast<std::size_t>(k_);
  const base::MemoryCharge charge(memory_, consecutive_bytes(static_cast<double>(rows.queries)));
  std::vector<std::int64_t> queries(static_cast<std::size_t>(rows.queries));
  std::iota(queries.begin(), queries.end(), first);
  const std::vector<std::uint8_t> finished(queries.size(), 1);
  add(queries, finished, [&](std::size_t i, std::span<std::int64_t> ids, std::span<float> distances) {
    std::copy_n(rows.ids.data() + i * k, k, ids.data());
    std::copy_n(rows.distances.data() + i * k, k, distances.data());
  });
}

RowStore::Block RowStore::empty_block(std::size_t values) const {
  const auto bytes = static_cast<double>(values * (id_bytes() + sizeof(float)));
  Block rows{Array<std::int32_t>(), Array<float>(values), base::MemoryCharge(memory_, bytes)};
  if (has_wide_ids_)
    rows.ids = Array<std::int64_t>(values);
  else
    rows.ids = Array<std::int32_t>(values);
  return rows;
}

/// A block of this rank.
RowStore::Block RowStore::read(std::int64_t block) const {
  const auto k = static_cast<std::size_t>(k_);
  const std::int64_t first = block * block_rows_;
  const auto n = static_cast<std::size_t>(std::min(block_rows_, queries_ - first));
  const base::MemoryCharge charge(memory_, static_cast<double>(n * row_bytes()));
  const Array<std::byte> bytes = spool_->read(static_cast<std::size_t>(block - first_block(ranks_.rank())), threads_);
  const auto count = static_cast<std::int64_t>(bytes.size() / row_bytes());
  Block rows = empty_block(n * k);
  if (static_cast<std::size_t>(count) < n) {
    std::visit([](auto& ids) { std::ranges::fill(ids, k_missing_id); }, rows.ids);
    std::ranges::fill(rows.distances, std::numeric_limits<float>::infinity());
  }
  base::parallel_for(count, threads_, [&](std::int64_t i) {
    const std::span all(bytes);
    RecordReader reader(all.subspan(static_cast<std::size_t>(i) * row_bytes(), row_bytes()));
    const auto at = static_cast<std::size_t>(reader.take<std::uint32_t>()) * k;
    std::visit([&](auto& ids) { reader.take(std::span(ids).subspan(at, k)); }, rows.ids);
    reader.take(std::span(rows.distances).subspan(at, k));
  });
  return rows;
}

void RowStore::for_each_own_block(const RowSink& sink) const {
  const std::int64_t first = first_block(ranks_.rank()), end = first_block(ranks_.rank() + 1);
  base::for_each_made_ahead(
      end - first, [&](std::int64_t i) { return read(first + i); },
      [&](std::int64_t i, const Block& rows) { sink(rows.rows((first + i) * block_rows_, k_)); });
}

/// On rank 0, a block of another.
RowStore::Block RowStore::fetch(std::int64_t block) const {
  const Bytes sent = ask_for_block(ranks_, block, share_owner(blocks(), ranks_.size(), block));
  Block rows = empty_block(sent.size() / (id_bytes() + sizeof(float)));
  RecordReader reader(sent);
  std::visit([&](auto& ids) { reader.take(std::span(ids)); }, rows.ids);
  reader.take(std::span(rows.distances));
  return rows;
}

void RowStore::for_each_block(const RowSink& sink) const {
  for_each_own_block(sink);
  for (std::int64_t b = first_block(1); b < blocks(); ++b) {
    const Block rows = fetch(b);
    sink(rows.rows(b * block_rows_, k_));
  }
}

void RowStore::serve() const {
  serve_blocks<std::int64_t>(ranks_, [this](std::int64_t block) {
    Bytes bytes;
    if (share_owner(blocks(), ranks_.size(), block) != ranks_.rank()) return bytes;
    const Block rows = read(block);
    const auto ids = rows.rows(0, k_).id_bytes();
    bytes.resize(ids.size() + rows.distances.size() * sizeof(float));
    RecordWriter(bytes).put(ids).put(std::span<const float>(rows.distances));
    return bytes;
  });
}

void RowStore::end_service() const { end_block_service<std::int64_t>(ranks_); }

}  // namespace kann::flow
