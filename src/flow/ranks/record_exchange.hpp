// Records of one size that ranks send to each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/memory_budget.hpp"
#include "flow/ranks/communicator.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {

/// What is sent waits in a temporary file until deliver(), so that any amount may be sent in between. What a rank sends
/// to itself arrives at once. Several threads may send at once, each to other addresses.
class RecordExchange {
 public:
  /// Receives records that were sent to this rank, and their address. Threads that send call it.
  using Receiver = std::function<void(std::uint32_t address, std::span<const std::byte> records)>;

  /// @param folder where the temporary file goes
  /// @param chunk about how many bytes are held back in memory for each rank, and sent to it at a time
  /// @param memory is charged with what the exchange takes
  /// @throws Error resources.
  RecordExchange(Communicator& ranks, std::size_t record_bytes, const std::string& folder, std::size_t chunk,
                 Receiver receiver, base::MemoryBudget* memory = nullptr);

  /// Bytes of memory for so many ranks: what waits, and where there are others, what deliver() sends and receives at a
  /// time.
  static double bytes(int ranks, double chunk) {
    return ranks == 1 ? 0 : formats::Spool::bytes(ranks, chunk, 0) + delivery_bytes(ranks, chunk);
  }

  /// Records of one rank come in the order in which it sends them.
  /// @throws Error resources, and what the receiver throws.
  void send(int rank, std::uint32_t address, std::span<const std::byte> records);

  /// All that any rank has sent has arrived afterwards. All ranks call it; it blocks.
  /// @throws as send() and Communicator::exchange().
  void deliver();

  /// Gives memory and files back: nothing will be sent any more.
  void close() {
    file_bytes_ = file_bytes();
    waiting_.reset();
    held_ = {};
  }

  std::uint64_t sent_bytes() const { return sent_bytes_; }                                      ///< to other ranks
  std::uint64_t file_bytes() const { return waiting_ ? waiting_->file_bytes() : file_bytes_; }  ///< at its largest

 private:
  /// A chunk to each rank, one from each, and the entries that are made or looked at.
  static double delivery_bytes(int ranks, double chunk) { return (2 * ranks + 1) * chunk; }

  std::size_t entry_bytes() const { return sizeof(std::uint32_t) + record_bytes_; }
  void receive(std::span<const std::byte> entries);

  Communicator& ranks_;
  std::size_t record_bytes_;
  Receiver receiver_;
  const std::size_t chunk_;  // bytes of whole entries
  base::MemoryBudget* const memory_;
  std::optional<formats::Spool> waiting_;  // by rank; none if this rank is alone, or at the end
  std::mutex mutex_;                       // guards the members below, and what is waiting
  std::uint64_t sent_bytes_ = 0, file_bytes_ = 0;
  Bytes held_;  // bytes of the entries that are being made, or of the records that are received
};

}  // namespace kann::flow
