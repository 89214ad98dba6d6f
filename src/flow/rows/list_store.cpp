#include "flow/rows/list_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "base/host_memory.hpp"
#include "base/threads/parallel.hpp"
#include "flow/ranks/block_service.hpp"
#include "flow/ranks/record.hpp"
#include "flow/ranks/shares.hpp"
#include "search/rows/list_order.hpp"

namespace kann::flow {
ListStore::ListStore(Communicator& ranks, const std::string& folder, ListBlockBegins blocks, const ListKind& kind,
                     std::int64_t held, std::size_t chunk, int threads, base::MemoryBudget& memory)
    : ranks_(ranks),
      blocks_(std::move(blocks)),
      kind_(kind),
      held_(held),
      threads_(threads),
      memory_(memory),
      batch_(record_bytes(), threads, &memory) {
  const std::int64_t first = first_block(ranks.rank()), end = first_block(ranks.rank() + 1);
  spool_ = std::make_unique<formats::Spool>(folder, static_cast<std::size_t>(end - first), chunk, &memory);
  exchange_ = std::make_unique<RecordExchange>(
      ranks, record_bytes(), folder, chunk,
      [spool = spool_.get()](std::uint32_t place, std::span<const std::byte> records) {
        spool->append(place, records);
      },
      &memory);
}

std::int64_t ListStore::block_of(std::int64_t query) const {
  return std::ranges::upper_bound(blocks_, query) - blocks_.begin() - 1;
}

std::int64_t ListStore::first_block(int rank) const { return share_begin(blocks(), ranks_.size(), rank); }

void ListStore::add(const FoundLists& found) {
  const auto& [queries, lists, points] = found;
  const auto neighbors = static_cast<double>(lists.neighbors()), count = static_cast<double>(queries.size());
  const base::MemoryCharge charge(&memory_, (neighbors + 2 * count) * sizeof(std::uint32_t));
  std::vector<std::uint32_t> block(queries.size()), place(queries.size());
  Array<std::uint32_t> query(lists.ids.size());
  base::parallel_for(std::ssize(queries), threads_, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    const std::int64_t of = block_of(queries[at]);
    block[at] = static_cast<std::uint32_t>(of);
    place[at] = static_cast<std::uint32_t>(queries[at] - blocks_[static_cast<std::size_t>(of)]);
    std::fill(query.data() + lists.begins[at], query.data() + lists.begins[at + 1], static_cast<std::uint32_t>(i));
  });
  const auto number = [&](std::size_t i) { return points[static_cast<std::size_t>(lists.ids[i])]; };
  batch_.make(
      lists.neighbors(), static_cast<std::uint32_t>(blocks()),
      [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t own = queries[query[at]], other = number(at);
        const bool is_kept = kind_.is_half ? other > own : !kind_.drops_own || other != own;
        return is_kept ? block[query[at]] : RecordBatch::k_nowhere;
      },
      [&](std::int64_t i, std::span<std::byte> record) {
        const auto at = static_cast<std::size_t>(i);
        RecordWriter writer(record);
        writer.put(place[query[at]]);
        if (kind_.has_wide_ids)
          writer.put(number(at));
        else
          writer.put(static_cast<std::int32_t>(number(at)));
        writer.put(lists.distances[at]);
      });
  batch_.for_each_group([&](std::uint32_t to, std::span<const std::byte> records) {
    const int owner = share_owner(blocks(), ranks_.size(), to);
    exchange_->send(owner, static_cast<std::uint32_t>(to - first_block(owner)), records);
  });
  past_float32_ += std::ranges::count_if(lists.distances, [](float distance) { return std::isinf(distance); });
}

void ListStore::deliver() {
  exchange_->deliver();
  std::uint64_t own = 0;
  for (std::int64_t block = first_block(ranks_.rank()); block < first_block(ranks_.rank() + 1); ++block)
    own += spool_->size(static_cast<std::size_t>(block - first_block(ranks_.rank()))) / record_bytes();
  neighbors_ = ranks_.sum(static_cast<std::int64_t>(own));
}

/// Calls f(place, bytes) for each neighbour in a block of this rank: the place of its query in the block, its id and
/// its distance.
template <class F>
void ListStore::for_each_record(std::int64_t block, F f) const {
  constexpr std::size_t records = 4096;
  spool_->read(static_cast<std::size_t>(block - first_block(ranks_.rank())), records * record_bytes(),
               [&](std::span<const std::byte> bytes) {
                 for (std::size_t at = 0; at < bytes.size(); at += record_bytes()) {
                   std::uint32_t place;
                   std::memcpy(&place, bytes.data() + at, sizeof place);
                   f(place, bytes.data() + at + sizeof place);
                 }
               });
}

/// The lists from that of query `request.first` on, as many of its block as fit in memory, in a block of this rank.
ListStore::Part ListStore::read(const Request& request) const {
  const std::int64_t block = block_of(request.first), end = blocks_[static_cast<std::size_t>(block + 1)];
  const auto skipped = static_cast<std::uint32_t>(request.first - blocks_[static_cast<std::size_t>(block)]);
  std::int64_t count = end - request.first;
  Part part;
  part.charge = base::MemoryCharge(&memory_, reading_bytes(0, static_cast<double>(count), false, ranks_.size()));
  part.begins.resize(static_cast<std::size_t>(count) + 1);
  std::ranges::fill(part.begins, 0);
  for_each_record(block, [&](std::uint32_t place, const std::byte*) {
    if (place >= skipped) ++part.begins[place - skipped + 1];
  });
  std::partial_sum(part.begins.begin(), part.begins.end(), part.begins.begin());
  if (request.counts_only) return part;

  count = std::max<std::int64_t>(1, std::ranges::upper_bound(part.begins, held_) - part.begins.begin() - 1);
  part.begins.resize(static_cast<std::size_t>(count) + 1);
  const double bytes = reading_bytes(static_cast<double>(part.begins.back()), static_cast<double>(count),
                                     kind_.has_wide_ids, ranks_.size()) +
                       detail::ordering_bytes(detail::longest_list(part.begins), held_);
  const double left = memory_.limit() - static_cast<double>(memory_.in_use());
  if (part.begins.back() > held_ && bytes > left)
    throw Error(
        ErrorKind::resources,
        fmt::format("host memory: the list of query {} has {} neighbours and needs {}, {} are left; give more "
                    "--max-memory, or a smaller --radius",
                    request.first, part.begins.back(), base::bytes_text(bytes), base::bytes_text(std::max(0.0, left))));
  part.charge.resize(bytes);
  kind_.has_wide_ids ? fill<std::int64_t>(block, skipped, part) : fill<std::int32_t>(block, skipped, part);
  return part;
}

/// Reads the neighbours of a part whose lists begin with number `skipped` of its block.
template <class Id>
void ListStore::fill(std::int64_t block, std::int64_t skipped, Part& part) const {
  Array<Id>& ids = part.ids.template emplace<Array<Id>>(static_cast<std::size_t>(part.begins.back()));
  part.distances.resize(ids.size());
  Array<std::int64_t> next = part.begins;  // where the next neighbour of each list goes
  const auto count = static_cast<std::uint64_t>(part.begins.size()) - 1;
  for_each_record(block, [&](std::uint32_t place, const std::byte* neighbor) {
    const std::uint64_t row = static_cast<std::uint64_t>(place) - static_cast<std::uint64_t>(skipped);
    if (row >= count) return;  // also where the place is smaller
    const auto at = static_cast<std::size_t>(next[row]++);
    std::memcpy(&ids[at], neighbor, sizeof(Id));
    std::memcpy(&part.distances[at], neighbor + sizeof(Id), sizeof(float));
  });
  next = {};
  detail::put_in_order(part.begins, ids, part.distances, held_, threads_);
}

/// On rank 0, lists of any rank.
ListStore::Part ListStore::fetch(const Request& request) const {
  const int owner = share_owner(blocks(), ranks_.size(), block_of(request.first));
  if (owner == ranks_.rank()) return read(request);
  const Bytes sent = ask_for_block(ranks_, request, owner);
  RecordReader reader(sent);
  Part part;
  part.charge = base::MemoryCharge(&memory_, 2 * static_cast<double>(sent.size()));
  part.begins.resize(static_cast<std::size_t>(reader.take<std::int64_t>()));
  reader.take(std::span(part.begins));
  if (request.counts_only) return part;
  const auto neighbors = static_cast<std::size_t>(part.begins.back());
  if (kind_.has_wide_ids) part.ids = Array<std::int64_t>();
  std::visit(
      [&](auto& ids) {
        ids.resize(neighbors);
        reader.take(std::span(ids));
      },
      part.ids);
  part.distances.resize(neighbors);
  reader.take(std::span(part.distances));
  return part;
}

void ListStore::serve() const {
  serve_blocks<Request>(ranks_, [this](const Request& request) {
    Bytes bytes;
    if (share_owner(blocks(), ranks_.size(), block_of(request.first)) != ranks_.rank()) return bytes;
    const Part part = read(request);
    const std::int64_t begins = std::ssize(part.begins);
    const std::span<const std::byte> ids =
        std::visit([](const auto& all) { return std::as_bytes(std::span(all)); }, part.ids);
    const auto neighbors = request.counts_only ? 0 : part.distances.size();
    const auto sent_ids = ids.first(request.counts_only ? 0 : ids.size());
    bytes.resize(sizeof begins + static_cast<std::size_t>(begins) * sizeof(std::int64_t) + sent_ids.size() +
                 neighbors * sizeof(float));
    RecordWriter(bytes)
        .put(begins)
        .put(std::span<const std::int64_t>(part.begins))
        .put(sent_ids)
        .put(std::span<const float>(part.distances).first(neighbors));
    return bytes;
  });
}

void ListStore::end_service() const { end_block_service<Request>(ranks_); }

/// Calls f(first, part) for all lists in their order; begins count the neighbours of all lists.
void ListStore::for_each_part(bool counts_only, const std::function<void(std::int64_t, Part&)>& f) const {
  std::int64_t before = 0;
  for (std::int64_t first = 0; first < queries();) {
    Part part = fetch({first, counts_only});
    for (std::int64_t& begin : part.begins) begin += before;
    before = part.begins.back();
    f(first, part);
    first += std::ssize(part.begins) - 1;
  }
}

RowBlocks ListStore::lists(std::int64_t data_points) const {
  const auto for_each_begins = [this](const RowBlocks::Lists::Sink& sink) {
    sink(std::vector<std::int64_t>{0});
    for_each_part(true, [&](std::int64_t, const Part& part) { sink(std::span(part.begins).subspan(1)); });
  };
  const auto for_each = [this](const RowBlocks::Sink& sink) {
    for_each_part(false, [&](std::int64_t first, const Part& part) {
      Rows block{first, std::ssize(part.begins) - 1, 0, part.begins, {}, part.distances};
      std::visit([&]<class Id>(const Array<Id>& ids) { block.ids = std::span<const Id>(ids); }, part.ids);
      sink(block);
    });
  };
  return {.queries = queries(),
          .has_wide_ids = kind_.has_wide_ids,
          .for_each = for_each,
          .lists = {{data_points, neighbors_, for_each_begins}}};
}

}  // namespace kann::flow
