// Records of one size that ranks send to numbered boxes, which keep them in temporary files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kann/array.hpp"

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "flow/ranks/record_batch.hpp"
#include "flow/ranks/record_exchange.hpp"
#include "flow/ranks/shares.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {

/// Where temporary files go, and what it takes to write them.
struct TemporaryFiles {
  std::string folder;  ///< "": the current folder
  std::size_t chunk;   ///< as for formats::Spool
  int threads;
  base::MemoryBudget* memory;  ///< is charged with what is held, and must outlive that; null: nothing is
};

/// The number of the first box of each rank, where all have equal shares of `boxes`; then `boxes`.
inline std::vector<std::size_t> equal_shares(std::int64_t boxes, int ranks) {
  std::vector<std::size_t> first;
  for (int rank = 0; rank <= ranks; ++rank) first.push_back(static_cast<std::size_t>(share_begin(boxes, ranks, rank)));
  return first;
}

class Post {
 public:
  /// @param first the number of the first box of each rank, and then how many boxes there are
  /// @param receiver takes what arrives here, and no box keeps it; null: they do
  /// @throws Error resources.
  Post(Communicator& ranks, std::vector<std::size_t> first, std::size_t record_bytes, const TemporaryFiles& files,
       RecordExchange::Receiver receiver = nullptr)
      : first_of_rank_(std::move(first)),
        first_(first_of_rank_[static_cast<std::size_t>(ranks.rank())]),
        size_(first_of_rank_[static_cast<std::size_t>(ranks.rank()) + 1] - first_),
        record_bytes_(record_bytes),
        threads_(files.threads),
        kept_(files.folder, receiver ? 0 : size_, files.chunk, files.memory),
        exchange_(
            ranks, record_bytes, files.folder, files.chunk,
            receiver ? std::move(receiver)
                     : [this](std::uint32_t box, std::span<const std::byte> some) { kept_.append(box - first_, some); },
            files.memory),
        batch_(record_bytes, files.threads, files.memory) {}
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  /// Bytes of memory on a rank that keeps `records` in its `boxes`.
  static double bytes(double boxes, double records, double record_bytes, int ranks, double chunk) {
    return formats::Spool::bytes(boxes, chunk, records * record_bytes) + RecordExchange::bytes(ranks, chunk);
  }

  /// Bytes of memory to send up to `records` at a time, beside that, where all ranks have `all_boxes`.
  static double sending_bytes(double records, double record_bytes, double all_boxes, int threads) {
    return RecordBatch::bytes(records, record_bytes, all_boxes, threads);
  }

  std::size_t boxes() const { return first_of_rank_.back(); }  ///< of all ranks
  std::size_t first() const { return first_; }                 ///< the number of this rank's first box
  std::size_t size() const { return size_; }                   ///< how many boxes it has

  std::size_t record_bytes() const { return record_bytes_; }

  /// The rank that has a box.
  int owner(std::size_t box) const {
    return static_cast<int>(std::ranges::upper_bound(first_of_rank_, box) - first_of_rank_.begin()) - 1;
  }

  /// Sends `count` records: box(i) says where record i goes, perhaps RecordBatch::k_nowhere, and write(i, bytes) makes
  /// it. Several threads call these. @throws Error resources, and what they throw.
  template <class Box, class Write>
  void send(std::int64_t count, Box box, Write write) {
    batch_.make(count, static_cast<std::uint32_t>(boxes()), box, write);
    batch_.for_each_group(
        [&](std::uint32_t to, std::span<const std::byte> records) { exchange_.send(owner(to), to, records); });
  }

  /// All that any rank has sent has arrived afterwards. All ranks call it; it blocks. @throws as
  /// RecordExchange::deliver().
  void deliver() { exchange_.deliver(); }

  /// The same, when nobody will send more: gives memory back.
  void close() {
    deliver();
    exchange_.close();
    batch_ = RecordBatch(record_bytes_, threads_);
  }

  /// How many records are in a box of this rank.
  std::int64_t records(std::size_t box) const {
    return static_cast<std::int64_t>(kept_.size(box - first_) / record_bytes_);
  }

  using Take = std::function<void(std::span<const std::byte> records)>;

  /// Calls f() with the records of a box of this rank, `most` at a time. take() forgets them. Both throw as
  /// formats::Spool does.
  void read(std::size_t box, std::int64_t most, const Take& f) const { kept_.read(box - first_, bytes_of(most), f); }
  void take(std::size_t box, std::int64_t most, const Take& f) { kept_.take(box - first_, bytes_of(most), f); }

  /// All of them.
  Array<std::byte> read(std::size_t box) const { return kept_.read(box - first_, threads_); }

  std::uint64_t sent_bytes() const { return exchange_.sent_bytes(); }                       ///< to other ranks
  std::uint64_t file_bytes() const { return kept_.file_bytes() + exchange_.file_bytes(); }  ///< at their largest

 private:
  std::size_t bytes_of(std::int64_t records) const { return static_cast<std::size_t>(records) * record_bytes_; }

  const std::vector<std::size_t> first_of_rank_;
  const std::size_t first_, size_, record_bytes_;
  const int threads_;
  formats::Spool kept_;  // by the boxes of this rank
  RecordExchange exchange_;
  RecordBatch batch_;
};

}  // namespace kann::flow
