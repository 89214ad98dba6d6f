#include "flow/rows/column_store.hpp"

#include <cstring>
#include <span>
#include <utility>
#include <variant>

namespace kann::flow {
namespace {

constexpr std::size_t k_chunk = 4096;           // a stream holds back less than this
constexpr std::uint64_t k_full_stream = 65536;  // gets no other block

std::span<const std::byte> bytes_of(const Attribute& column) {
  return std::visit([](const auto& values) { return std::as_bytes(std::span(values)); }, column.values);
}

double values_bytes(const std::vector<Attribute>& columns) {
  double bytes = 0;
  for (const Attribute& column : columns) bytes += static_cast<double>(bytes_of(column).size());
  return bytes;
}

}  // namespace

ColumnStore::ColumnStore(const std::optional<std::string>& folder, base::MemoryBudget* memory)
    : memory_(memory), charge_(memory, 0) {
  if (folder) spool_.emplace(*folder, 0, k_chunk, memory);
}

void ColumnStore::add(std::vector<Attribute> columns) {
  if (!spool_) {
    charged_ += values_bytes(columns);
    charge_.resize(charged_);
    kept_.push_back(std::move(columns));
    return;
  }
  const bool is_full = places_.empty() || spool_->size(places_.back().stream) >= k_full_stream;
  const std::size_t stream = is_full ? spool_->add_stream() : places_.back().stream;
  loaded_ = static_cast<std::int64_t>(places_.size());
  places_.push_back({stream, spool_->size(stream), columns.empty() ? 0 : columns.front().size()});
  block_ = std::move(columns);
  charge_.resize(values_bytes(block_));
  for (const Attribute& column : block_) spool_->append(stream, bytes_of(column));
}

const std::vector<Attribute>& ColumnStore::block(std::int64_t number) const {
  if (!spool_) return kept_.empty() ? block_ : kept_[static_cast<std::size_t>(number)];
  if (loaded_ == number || places_.empty()) return block_;
  const Place& place = places_[static_cast<std::size_t>(number)];
  if (loaded_stream_ != place.stream) {
    stream_charge_ = base::MemoryCharge(memory_, static_cast<double>(spool_->size(place.stream)));
    stream_ = spool_->read(place.stream, 1);
    loaded_stream_ = place.stream;
  }
  const std::byte* from = stream_.data() + place.begin;
  for (Attribute& column : block_)
    std::visit(
        [&](auto& values) {
          values.resize(static_cast<std::size_t>(place.rows));
          const std::size_t bytes = std::span(values).size_bytes();
          if (bytes > 0) std::memcpy(values.data(), from, bytes);
          from += bytes;
        },
        column.values);
  loaded_ = number;
  return block_;
}

}  // namespace kann::flow
