#include "flow/rows/row_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "flow/ranks/record.hpp"
#include "flow/ranks/shares.hpp"

namespace kann::flow {
namespace {

/// Bytes of a block that the spool holds back in memory: few, since there are many blocks.
constexpr std::size_t k_block_chunk = 4096;

/// Rows of a block, if `most` rows are looked at together elsewhere.
std::int64_t rows_of_block(std::int64_t most) { return std::max<std::int64_t>(64, most / 16); }

double part_bytes(double k) { return sizeof(std::int64_t) + k * sizeof(TileNeighbor); }

/// A neighbour that several parts have counts once, with its smallest distance; of all neighbours, the first k stay.
void keep_first(std::vector<TileNeighbor>& neighbors, std::span<TileNeighbor> row) {
  std::erase_if(neighbors, [](const TileNeighbor& n) { return n.id < 0; });
  std::ranges::sort(neighbors, [](const TileNeighbor& a, const TileNeighbor& b) {
    return std::pair<std::int64_t, double>(a.id, a.sq_dist) < std::pair<std::int64_t, double>(b.id, b.sq_dist);
  });
  const auto is_same = [](const TileNeighbor& a, const TileNeighbor& b) { return a.id == b.id; };
  neighbors.erase(std::unique(neighbors.begin(), neighbors.end(), is_same), neighbors.end());
  std::ranges::sort(neighbors, std::less<TileNeighbor>());
  neighbors.resize(std::min(neighbors.size(), row.size()));
  std::ranges::fill(std::ranges::copy(neighbors, row.begin()).out, row.end(), TileNeighbor::missing());
}

}  // namespace

RowParts::RowParts(Communicator& ranks, const std::string& folder, std::int64_t queries, std::int64_t k,
                   std::int64_t block_rows, int threads, base::MemoryBudget* memory)
    : ranks_(ranks),
      queries_(queries),
      k_(k),
      block_rows_(rows_of_block(block_rows)),
      threads_(threads),
      memory_(memory),
      spool_(std::make_unique<formats::Spool>(
          folder, static_cast<std::size_t>(first_block(ranks.rank() + 1) - first_block(ranks.rank())), k_block_chunk,
          memory)),
      exchange_(std::make_unique<RecordExchange>(
          ranks, record_bytes(), folder, k_block_chunk,
          [spool = spool_.get()](std::uint32_t block, std::span<const std::byte> parts) {
            spool->append(block, parts);
          },
          memory)),
      batch_(record_bytes(), threads, memory) {}

double RowParts::bytes(double queries, double block_rows, double k, double added, int ranks, int threads) {
  const double blocks = std::ceil(queries / static_cast<double>(rows_of_block(static_cast<std::int64_t>(block_rows))));
  return formats::Spool::bytes(blocks, k_block_chunk, queries * part_bytes(k)) +
         RecordExchange::bytes(ranks, k_block_chunk) +
         RecordBatch::bytes(added, part_bytes(k), blocks * ranks, threads);
}

double RowParts::together_bytes(double block_rows, double k) {
  constexpr double parts_of_row = 27;
  const auto rows = static_cast<double>(rows_of_block(static_cast<std::int64_t>(block_rows)));
  return joined_bytes(parts_of_row * rows, rows, k);
}

/// A part takes its record and its place; a row takes its number, its first part, its mark and its neighbours.
double RowParts::joined_bytes(double parts, double rows, double k) {
  return parts * (part_bytes(k) + 2 * sizeof(std::int64_t)) +
         rows * (2 * 2 * sizeof(std::int64_t) + 1 + k * sizeof(TileNeighbor));
}

std::size_t RowParts::record_bytes() const { return static_cast<std::size_t>(part_bytes(static_cast<double>(k_))); }

std::int64_t RowParts::first_block(int rank) const { return share_begin(blocks(), ranks_.size(), rank); }

void RowParts::add(std::span<const std::int64_t> queries, std::span<const TileNeighbor> rows,
                   std::span<const std::uint8_t> chosen) {
  const auto k = static_cast<std::size_t>(k_);
  batch_.make(
      std::ssize(queries), static_cast<std::uint32_t>(blocks()),
      [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        return chosen[at] ? static_cast<std::uint32_t>(queries[at] / block_rows_) : RecordBatch::k_nowhere;
      },
      [&](std::int64_t i, std::span<std::byte> record) {
        const auto at = static_cast<std::size_t>(i);
        RecordWriter(record).put(queries[at]).put(rows.subspan(at * k, k));
      });
  batch_.for_each_group([&](std::uint32_t block, std::span<const std::byte> records) {
    const int owner = share_owner(blocks(), ranks_.size(), block);
    exchange_->send(owner, static_cast<std::uint32_t>(block - first_block(owner)), records);
  });
}

void RowParts::put_together(
    const std::function<void(std::span<const std::int64_t>, std::span<const TileNeighbor>)>& f) {
  exchange_->deliver();
  const auto k = static_cast<std::size_t>(k_);
  const std::int64_t blocks_here = first_block(ranks_.rank() + 1) - first_block(ranks_.rank());
  for (std::int64_t block = 0; block < blocks_here; ++block) {
    const double parts_here = static_cast<double>(spool_->size(static_cast<std::size_t>(block)) / record_bytes());
    const base::MemoryCharge charge(
        memory_,
        joined_bytes(parts_here, std::min(parts_here, static_cast<double>(block_rows_)), static_cast<double>(k_)));
    const Array<std::byte> bytes = spool_->read(static_cast<std::size_t>(block), threads_);
    const auto reader_of = [&](std::size_t part) {
      return RecordReader(std::span<const std::byte>(bytes).subspan(part * record_bytes(), record_bytes()));
    };
    std::vector<std::pair<std::int64_t, std::size_t>> parts(bytes.size() / record_bytes());  // by their queries
    for (std::size_t part = 0; part < parts.size(); ++part)
      parts[part] = {reader_of(part).template take<std::int64_t>(), part};
    std::ranges::sort(parts);

    std::vector<std::int64_t> queries;
    std::vector<std::size_t> first;  // part of each; and how many there are
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 && parts[i].first == parts[i - 1].first) continue;
      queries.push_back(parts[i].first);
      first.push_back(i);
    }
    first.push_back(parts.size());
    TileRows rows(queries.size() * k);
    base::parallel_blocks(std::ssize(queries), threads_, [&](int, std::int64_t begin, std::int64_t end) {
      std::vector<TileNeighbor> neighbors;
      for (auto q = static_cast<std::size_t>(begin); q < static_cast<std::size_t>(end); ++q) {
        neighbors.resize((first[q + 1] - first[q]) * k);
        for (std::size_t i = first[q]; i < first[q + 1]; ++i) {
          RecordReader reader = reader_of(parts[i].second);
          reader.template take<std::int64_t>();
          reader.take(std::span(neighbors).subspan((i - first[q]) * k, k));
        }
        keep_first(neighbors, std::span(rows).subspan(q * k, k));
      }
    });
    f(queries, rows);
  }
}

}  // namespace kann::flow
