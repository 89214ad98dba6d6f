#include "flow/rows/column_store.hpp"

#include <cstring>
#include <span>
#include <utility>
#include <variant>

namespace kann::flow {
namespace {

constexpr std::size_t k_chunk = 4096;  // a block's columns hold back less than this each

double values_bytes(const std::vector<Attribute>& columns) {
  double bytes = 0;
  for (const Attribute& column : columns)
    std::visit([&](const auto& values) { bytes += static_cast<double>(std::span(values).size_bytes()); },
               column.values);
  return bytes;
}

}  // namespace

ColumnStore::ColumnStore(const std::optional<std::string>& folder, base::MemoryBudget* memory)
    : memory_(memory), charge_(memory, 0) {
  if (folder) spool_.emplace(*folder, 0, k_chunk, memory);
}

void ColumnStore::add(std::vector<Attribute> columns) {
  loaded_ = static_cast<std::int64_t>(sizes_.size());
  sizes_.push_back(columns.empty() ? 0 : columns.front().size());
  block_ = std::move(columns);
  charge_.resize(values_bytes(block_));
  if (!spool_) return;
  for (const Attribute& column : block_)
    std::visit([&](const auto& values) { spool_->append(spool_->add_stream(), std::as_bytes(std::span(values))); },
               column.values);
}

const std::vector<Attribute>& ColumnStore::block(std::int64_t number) const {
  if (loaded_ == number) return block_;
  for (std::size_t c = 0; c < block_.size(); ++c) {
    const auto stream = static_cast<std::size_t>(number) * block_.size() + c;
    const base::MemoryCharge charge(memory_, static_cast<double>(spool_->size(stream)));
    const Array<std::byte> bytes = spool_->read(stream, 1);
    std::visit(
        [&](auto& values) {
          values.resize(static_cast<std::size_t>(sizes_[static_cast<std::size_t>(number)]));
          if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
        },
        block_[c].values);
  }
  loaded_ = number;
  return block_;
}

}  // namespace kann::flow
