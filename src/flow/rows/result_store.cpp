#include "flow/rows/result_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/threads/made_ahead.hpp"
#include "base/threads/parallel.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/record.hpp"
#include "geometry/exact_neighbor.hpp"
#include "search/rows/list_order.hpp"

namespace kann::flow {
namespace {

/// Returns what the rank `owner` makes of the request. Rank 0 calls it while all others are in serve_blocks(); it
/// blocks. @throws as Communicator::exchange().
template <class Request>
Bytes ask_for_block(Communicator& ranks, const Request& request, int owner) {
  ranks.gather_value(std::optional<Request>(request));
  std::vector<Bytes> sent = ranks.exchange(std::vector<Bytes>(static_cast<std::size_t>(ranks.size())));
  return std::move(sent[static_cast<std::size_t>(owner)]);
}

/// Lets all other ranks leave serve_blocks(). Rank 0 calls it.
template <class Request>
void end_block_service(Communicator& ranks) {
  if (!ranks.is_alone()) ranks.gather_value(std::optional<Request>());
}

/// Serves the requests of rank 0 until it ends the service: make(request) returns the bytes of a block, or none if the
/// block is not of this rank. All ranks but 0 call it; it blocks. @throws what make() throws, and as ask_for_block().
template <class Request, class Make>
void serve_blocks(Communicator& ranks, Make make) {
  while (const std::optional<Request> request = ranks.gather_value(std::optional<Request>()).front()) {
    std::vector<Bytes> to(static_cast<std::size_t>(ranks.size()));
    to.front() = make(*request);
    ranks.exchange(std::move(to));
  }
}

}  // namespace

void RowCounts::add(std::span<const detail::Candidate> row, double far) {
  std::size_t given = 0;
  bool is_far = false;
  for (const detail::Candidate& neighbor : row) {
    if (!is_given(neighbor)) continue;
    ++given;
    is_far |= !std::isinf(far) && geometry::rounded_root(neighbor.sq_dist) > far;
    past_float32 += neighbor.sq_dist >= 0x1p255 && std::isinf(geometry::rounded_root(neighbor.sq_dist));
  }
  neighbors += static_cast<std::int64_t>(given);
  full_rows += given == row.size();
  far_rows += is_far;
}

void RowCounts::add(const RowCounts& other) {
  neighbors += other.neighbors;
  full_rows += other.full_rows;
  past_float32 += other.past_float32;
  far_rows += other.far_rows;
}

std::int64_t rows_of_block(std::int64_t queries, std::int64_t most, int ranks) {
  constexpr std::int64_t blocks_a_rank = 16;
  return ranks == 1 ? most : std::clamp<std::int64_t>(queries / (blocks_a_rank * ranks), 1, most);
}

BlockBegins row_blocks(std::int64_t queries, std::int64_t rows) {
  BlockBegins begins;
  for (std::int64_t first = 0; first < queries; first += rows) begins.push_back(first);
  begins.push_back(queries);
  return begins;
}

ResultStore::ResultStore(Communicator& ranks, const ResultKind& kind, BlockBegins blocks, const TemporaryFiles& files,
                         std::int64_t held)
    : ranks_(ranks),
      kind_(kind),
      blocks_(std::move(blocks)),
      held_(held),
      threads_(files.threads),
      memory_(files.memory),
      post_(std::make_unique<Post>(
          ranks, equal_shares(std::ssize(blocks_) - 1, ranks.size()),
          static_cast<std::size_t>(record_bytes(std::max(1.0, static_cast<double>(kind.k)), kind.has_wide_ids())),
          files)),
      first_distances_(queries()) {}

std::size_t ResultStore::block_of(std::int64_t query) const {
  if (kind_.k > 0) return static_cast<std::size_t>(query / block_rows());
  return static_cast<std::size_t>(std::ranges::upper_bound(blocks_, query) - blocks_.begin() - 1);
}

void ResultStore::add(std::span<const std::int64_t> queries, std::span<const detail::Candidate> rows,
                      std::span<const std::uint8_t> finished) {
  const auto k = static_cast<std::size_t>(kind_.k);
  std::vector<RowCounts> parts(static_cast<std::size_t>(threads_));
  base::parallel_blocks(std::ssize(queries), threads_, [&](int part, std::int64_t begin, std::int64_t end) {
    RowCounts counts;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      if (finished[i]) counts.add(rows.subspan(i * k, k), kind_.far);
    parts[static_cast<std::size_t>(part)] = counts;
  });
  for (const RowCounts& part : parts) counts_.add(part);
  send(queries, finished, [&](std::size_t i, std::span<std::int64_t> ids, std::span<float> distances) {
    detail::write_row(rows.subspan(i * k, k), kind_.sky, ids, distances);
  });
}

void ResultStore::add_full(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished,
                           std::int64_t far_rows, const FillRow& fill) {
  const auto rows = std::ssize(finished) - std::ranges::count(finished, 0);
  counts_.add({.neighbors = rows * kind_.k, .full_rows = rows, .past_float32 = 0, .far_rows = far_rows});
  send(queries, finished, fill);
}

void ResultStore::add_consecutive(std::int64_t first, const Neighbors& rows) {
  const auto k = static_cast<std::size_t>(kind_.k);
  const base::MemoryCharge charge(memory_, consecutive_bytes(static_cast<double>(rows.queries)));
  std::vector<std::int64_t> queries(static_cast<std::size_t>(rows.queries));
  std::iota(queries.begin(), queries.end(), first);
  const std::vector<std::uint8_t> finished(queries.size(), 1);
  send(queries, finished, [&](std::size_t i, std::span<std::int64_t> ids, std::span<float> distances) {
    std::copy_n(rows.ids.data() + i * k, k, ids.data());
    std::copy_n(rows.distances.data() + i * k, k, distances.data());
  });
}

/// Sends finished rows that fill() writes to their blocks.
void ResultStore::send(std::span<const std::int64_t> queries, std::span<const std::uint8_t> finished,
                       const FillRow& fill) {
  const auto k = static_cast<std::size_t>(kind_.k);
  post_->send(
      std::ssize(queries),
      [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        return finished[at] ? static_cast<std::uint32_t>(block_of(queries[at])) : RecordBatch::k_nowhere;
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
        writer.put(static_cast<std::uint32_t>(queries[at] - blocks_[block_of(queries[at])]));
        if (kind_.has_wide_ids())
          writer.put(std::span<const std::int64_t>(ids));
        else
          for (const std::int64_t id : ids) writer.put(static_cast<std::int32_t>(id));
        writer.put(std::span<const float>(distances));
      });
}

void ResultStore::add(const FoundLists& found) {
  const NeighborLists& lists = found.lists;
  const std::span<const std::int64_t> queries = found.queries, points = found.points;
  const base::MemoryCharge charge(
      memory_, adding_bytes(static_cast<double>(lists.neighbors()), static_cast<double>(queries.size())));
  std::vector<std::uint32_t> block(queries.size()), place(queries.size());
  Array<std::uint32_t> query(lists.ids.size());
  base::parallel_for(std::ssize(queries), threads_, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const std::size_t of = block_of(queries[at]);
    block[at] = static_cast<std::uint32_t>(of);
    place[at] = static_cast<std::uint32_t>(queries[at] - blocks_[of]);
    std::fill(query.data() + lists.begins[at], query.data() + lists.begins[at + 1], static_cast<std::uint32_t>(i));
  });
  const auto number = [&](std::size_t i) { return points[static_cast<std::size_t>(lists.ids[i])]; };
  post_->send(
      lists.neighbors(),
      [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t own = queries[query[at]], other = number(at);
        const bool is_kept = kind_.is_half ? other > own : !kind_.drops_own || other != own;
        return is_kept || found.are_own_images ? block[query[at]] : RecordBatch::k_nowhere;
      },
      [&](std::int64_t i, std::span<std::byte> record) {
        const auto at = static_cast<std::size_t>(i);
        RecordWriter writer(record);
        writer.put(place[query[at]]);
        if (kind_.has_wide_ids())
          writer.put(number(at));
        else
          writer.put(static_cast<std::int32_t>(number(at)));
        writer.put(lists.distances[at]);
      });
  counts_.past_float32 += std::ranges::count_if(lists.distances, [](float distance) { return std::isinf(distance); });
}

void ResultStore::deliver() {
  post_->close();
  if (kind_.k > 0) return;
  std::int64_t own = 0;
  for (std::size_t block = post_->first(); block < post_->first() + post_->size(); ++block)
    own += post_->records(block);
  listed_ = ranks_.sum(own);
}

Rows ResultStore::rows_of(std::int64_t first, const Part& part) const {
  const std::int64_t count = kind_.k > 0 ? std::ssize(part.distances) / kind_.k : std::ssize(part.begins) - 1;
  Rows rows{first, count, kind_.k, part.begins, {}, part.distances};
  std::visit([&]<class Id>(const Array<Id>& ids) { rows.ids = std::span<const Id>(ids); }, part.ids);
  return rows;
}

/// A part of rows with so many neighbours, which are not set.
ResultStore::Part ResultStore::empty_part(std::size_t neighbors) const {
  Part part;
  const std::size_t each = (kind_.has_wide_ids() ? sizeof(std::int64_t) : sizeof(std::int32_t)) + sizeof(float);
  part.charge = base::MemoryCharge(memory_, static_cast<double>(neighbors * each));
  if (kind_.has_wide_ids()) part.ids = Array<std::int64_t>();
  std::visit([&](auto& ids) { ids.resize(neighbors); }, part.ids);
  part.distances.resize(neighbors);
  return part;
}

/// The rows of a block of this rank.
ResultStore::Part ResultStore::read_rows(std::size_t block) const {
  const auto k = static_cast<std::size_t>(kind_.k), n = static_cast<std::size_t>(blocks_[block + 1] - blocks_[block]);
  const auto count = static_cast<std::size_t>(post_->records(block)), each = post_->record_bytes();
  const base::MemoryCharge charge(memory_, static_cast<double>(n * each));
  const Array<std::byte> bytes = post_->read(block);
  Part rows = empty_part(n * k);
  if (count < n) {
    std::visit([](auto& ids) { std::ranges::fill(ids, k_missing_id); }, rows.ids);
    std::ranges::fill(rows.distances, std::numeric_limits<float>::infinity());
  }
  base::parallel_for(static_cast<std::int64_t>(count), threads_, [&](std::int64_t i) {
    RecordReader reader(std::span<const std::byte>(bytes).subspan(static_cast<std::size_t>(i) * each, each));
    const auto at = static_cast<std::size_t>(reader.take<std::uint32_t>()) * k;
    std::visit([&](auto& ids) { reader.take(std::span(ids).subspan(at, k)); }, rows.ids);
    reader.take(std::span(rows.distances).subspan(at, k));
  });
  return rows;
}

/// Calls f(place, bytes) for each neighbour in a block of this rank: the place of its query in the block, its id and
/// its distance.
template <class F>
void ResultStore::for_each_listed(std::size_t block, F f) const {
  constexpr std::int64_t records = 4096;
  post_->read(block, records, [&](std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += post_->record_bytes()) {
      std::uint32_t place;
      std::memcpy(&place, bytes.data() + at, sizeof place);
      f(place, bytes.data() + at + sizeof place);
    }
  });
}

/// The lists from that of query `request.first` on, as many of its block as fit in memory, in a block of this rank.
ResultStore::Part ResultStore::read_lists(const Request& request) const {
  const std::size_t block = block_of(request.first);
  const auto skipped = static_cast<std::uint32_t>(request.first - blocks_[block]);
  std::int64_t count = blocks_[block + 1] - request.first;
  Part part;
  part.charge = base::MemoryCharge(memory_, list_bytes(0, static_cast<double>(count), false, ranks_.size()));
  part.begins.resize(static_cast<std::size_t>(count) + 1);
  std::ranges::fill(part.begins, 0);
  for_each_listed(block, [&](std::uint32_t place, const std::byte*) {
    if (place >= skipped) ++part.begins[place - skipped + 1];
  });
  std::partial_sum(part.begins.begin(), part.begins.end(), part.begins.begin());
  if (request.counts_only) return part;

  count = std::max<std::int64_t>(1, std::ranges::upper_bound(part.begins, held_) - part.begins.begin() - 1);
  part.begins.resize(static_cast<std::size_t>(count) + 1);
  const double bytes = list_bytes(static_cast<double>(part.begins.back()), static_cast<double>(count),
                                  kind_.has_wide_ids(), ranks_.size()) +
                       detail::ordering_bytes(detail::longest_list(part.begins), held_);
  const double left = memory_->limit() - static_cast<double>(memory_->in_use());
  if (part.begins.back() > held_ && bytes > left)
    throw Error(
        ErrorKind::resources,
        fmt::format("host memory: the list of query {} has {} neighbours and needs {}, {} are left; give more "
                    "--max-memory, or a smaller --radius",
                    request.first, part.begins.back(), base::bytes_text(bytes), base::bytes_text(std::max(0.0, left))));
  part.charge.resize(bytes);
  kind_.has_wide_ids() ? fill_lists<std::int64_t>(block, skipped, part)
                       : fill_lists<std::int32_t>(block, skipped, part);
  return part;
}

/// Reads the neighbours of a part whose lists begin with number `skipped` of its block.
template <class Id>
void ResultStore::fill_lists(std::size_t block, std::int64_t skipped, Part& part) const {
  Array<Id>& ids = part.ids.template emplace<Array<Id>>(static_cast<std::size_t>(part.begins.back()));
  part.distances.resize(ids.size());
  Array<std::int64_t> next = part.begins;  // where the next neighbour of each list goes
  const auto count = static_cast<std::uint64_t>(part.begins.size()) - 1;
  for_each_listed(block, [&](std::uint32_t place, const std::byte* neighbor) {
    const std::uint64_t row = static_cast<std::uint64_t>(place) - static_cast<std::uint64_t>(skipped);
    if (row >= count) return;  // also where the place is smaller
    const auto at = static_cast<std::size_t>(next[row]++);
    std::memcpy(&ids[at], neighbor, sizeof(Id));
    std::memcpy(&part.distances[at], neighbor + sizeof(Id), sizeof(float));
  });
  next = {};
  detail::put_in_order(part.begins, ids, part.distances, held_, threads_);
}

/// What a block of this rank has.
ResultStore::Part ResultStore::read(const Request& request) const {
  return kind_.k > 0 ? read_rows(block_of(request.first)) : read_lists(request);
}

/// On rank 0, what a block of any rank has.
ResultStore::Part ResultStore::fetch(const Request& request) const {
  const int owner = post_->owner(block_of(request.first));
  if (owner == ranks_.rank()) return read(request);
  const Bytes sent = ask_for_block(ranks_, request, owner);
  const base::MemoryCharge charge(memory_, static_cast<double>(sent.size()));
  RecordReader reader(sent);
  Array<std::int64_t> begins(reader.take<std::size_t>());
  reader.take(std::span(begins));
  Part part = empty_part(reader.take<std::size_t>());
  part.begins = std::move(begins);
  std::visit([&](auto& ids) { reader.take(std::span(ids)); }, part.ids);
  reader.take(std::span(part.distances));
  return part;
}

void ResultStore::serve() const {
  serve_blocks<Request>(ranks_, [this](const Request& request) {
    Bytes bytes;
    if (post_->owner(block_of(request.first)) != ranks_.rank()) return bytes;
    const Part part = read(request);
    const auto ids = rows_of(0, part).id_bytes();
    const std::span<const std::int64_t> begins = part.begins;
    const std::span<const float> distances = part.distances;
    bytes.resize(2 * sizeof(std::size_t) + begins.size_bytes() + ids.size() + distances.size_bytes());
    RecordWriter(bytes).put(begins.size()).put(begins).put(distances.size()).put(ids).put(distances);
    return bytes;
  });
}

void ResultStore::end_service() const { end_block_service<Request>(ranks_); }

void ResultStore::for_each_own_block(const RowBlocks::Sink& sink) const {
  const std::size_t own = post_->first();
  base::for_each_made_ahead(
      static_cast<std::int64_t>(post_->size()),
      [&](std::int64_t i) { return read_rows(own + static_cast<std::size_t>(i)); },
      [&](std::int64_t i, const Part& rows) { sink(rows_of(blocks_[own + static_cast<std::size_t>(i)], rows)); });
}

/// Passes the rows of all ranks to `sink`; those of rank 0 are the first.
void ResultStore::for_each_block(const RowBlocks::Sink& sink) const {
  for_each_own_block(sink);
  for (std::size_t block = post_->size(); block < post_->boxes(); ++block)
    sink(rows_of(blocks_[block], fetch({blocks_[block]})));
}

/// Passes all lists to `sink`; begins count the neighbours of all of them.
void ResultStore::for_each_list(bool counts_only, const RowBlocks::Sink& sink) const {
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < queries();) {
    Part part = fetch({first, counts_only});
    for (std::int64_t& begin : part.begins) begin += before;
    before = part.begins.back();
    sink(rows_of(first, part));
    first += std::ssize(part.begins) - 1;
  }
}

RowBlocks ResultStore::results() const {
  RowBlocks all{queries(), kind_.k, kind_.has_wide_ids(),
                [this](const RowBlocks::Sink& sink) { for_each_block(sink); }};
  if (kind_.k > 0) return all;
  all.for_each = [this](const RowBlocks::Sink& sink) { for_each_list(false, sink); };
  const auto for_each_begins = [this](const RowBlocks::Lists::Sink& sink) {
    sink(std::vector<std::int64_t>{0});
    for_each_list(true, [&](const Rows& part) { sink(part.begins.subspan(1)); });
  };
  all.lists = {kind_.data_points, listed_, for_each_begins};
  return all;
}

RowBlocks ResultStore::own_rows() const {
  const std::int64_t first = blocks_[post_->first()];
  return {blocks_[post_->first() + post_->size()] - first, kind_.k, kind_.has_wide_ids(),
          [this](const RowBlocks::Sink& sink) { for_each_own_block(sink); }, first};
}

}  // namespace kann::flow
