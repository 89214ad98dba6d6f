#include "flow/ranks/record_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

namespace kann::flow {

RecordExchange::RecordExchange(Communicator& ranks, std::size_t record_bytes, const std::string& folder,
                               std::size_t chunk, Receiver receiver, base::MemoryBudget* memory)
    : ranks_(ranks),
      record_bytes_(record_bytes),
      receiver_(std::move(receiver)),
      chunk_(std::max<std::size_t>(1, chunk / entry_bytes()) * entry_bytes()),  // no entry is cut
      memory_(memory) {
  if (!ranks.is_alone()) waiting_.emplace(folder, static_cast<std::size_t>(ranks.size()), chunk_, memory);
}

void RecordExchange::send(int rank, std::uint32_t address, std::span<const std::byte> records) {
  if (rank == ranks_.rank()) return receiver_(address, records);
  const std::lock_guard lock(mutex_);
  while (!records.empty()) {
    held_.resize(std::min(records.size() / record_bytes_ * entry_bytes(), chunk_));
    for (std::size_t at = 0; at < held_.size(); at += entry_bytes()) {
      std::memcpy(held_.data() + at, &address, sizeof address);
      std::memcpy(held_.data() + at + sizeof address, records.data(), record_bytes_);
      records = records.subspan(record_bytes_);
    }
    waiting_->append(static_cast<std::size_t>(rank), held_);
    sent_bytes_ += held_.size();
  }
}

/// Gives records with the same address, one after the other, together.
void RecordExchange::receive(std::span<const std::byte> entries) {
  const auto address_at = [&](std::size_t at) {
    std::uint32_t address;
    std::memcpy(&address, entries.data() + at, sizeof address);
    return address;
  };
  for (std::size_t at = 0; at < entries.size();) {
    const std::uint32_t address = address_at(at);
    held_.clear();
    for (; at < entries.size() && address_at(at) == address; at += entry_bytes()) {
      const auto record = entries.subspan(at + sizeof address, record_bytes_);
      held_.insert(held_.end(), record.begin(), record.end());
    }
    receiver_(address, held_);
  }
}

void RecordExchange::deliver() {
  if (!waiting_) return;
  const auto count = static_cast<std::size_t>(ranks_.size());
  const auto is_empty = [&] {
    for (std::size_t r = 0; r < count; ++r)
      if (waiting_->size(r) > 0) return false;
    return true;
  };
  const base::MemoryCharge charge(memory_, delivery_bytes(ranks_.size(), static_cast<double>(chunk_)));
  while (ranks_.any(!is_empty())) {
    std::vector<Bytes> to(count);
    for (std::size_t r = 0; r < count; ++r) to[r] = waiting_->take_front(r);
    for (const Bytes& from : ranks_.exchange(std::move(to))) receive(from);
  }
}

}  // namespace kann::flow
