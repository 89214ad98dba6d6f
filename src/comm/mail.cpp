#include "comm/mail.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace kann::comm {

Mail::Mail(Communicator& ranks, std::size_t record_bytes, const std::string& folder, std::size_t chunk,
           Receiver receiver)
    : ranks_(ranks), record_bytes_(record_bytes), receiver_(std::move(receiver)), entry_(entry_bytes()) {
  const std::size_t entries = std::max<std::size_t>(1, chunk / entry_bytes());  // none is cut
  if (!ranks.is_alone()) waiting_.emplace(folder, static_cast<std::size_t>(ranks.size()), entries * entry_bytes());
}

void Mail::send(int rank, std::uint32_t address, std::span<const std::byte> record) {
  if (rank == ranks_.rank()) return receiver_(address, record);
  std::memcpy(entry_.data(), &address, sizeof address);
  std::ranges::copy(record, entry_.begin() + sizeof address);
  waiting_->append(static_cast<std::size_t>(rank), entry_);
}

void Mail::deliver() {
  if (!waiting_) return;
  const auto count = static_cast<std::size_t>(ranks_.size());
  const auto is_empty = [&] {
    for (std::size_t r = 0; r < count; ++r)
      if (waiting_->size(r) > 0) return false;
    return true;
  };
  while (ranks_.any(!is_empty())) {
    std::vector<Bytes> to(count);
    for (std::size_t r = 0; r < count; ++r) to[r] = waiting_->take_front(r);
    for (const Bytes& from : ranks_.exchange(std::move(to)))
      for (std::span<const std::byte> rest = from; !rest.empty(); rest = rest.subspan(entry_bytes())) {
        std::uint32_t address;
        std::memcpy(&address, rest.data(), sizeof address);
        receiver_(address, rest.subspan(sizeof address, record_bytes_));
      }
  }
}

}  // namespace kann::comm
