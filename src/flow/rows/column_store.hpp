// Values that are computed for the queries, block by block, until all products have taken them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kann/attributes.hpp"

#include "base/memory_budget.hpp"
#include "formats/files/spool.hpp"

namespace kann::flow {

class ColumnStore {
 public:
  /// @param folder where a temporary file goes; none: the values stay in memory
  /// @param memory is charged with the columns that are in memory
  explicit ColumnStore(const std::optional<std::string>& folder, base::MemoryBudget* memory = nullptr);

  /// Adds the columns of the next block, which have the names and types of those of the blocks before it.
  /// @throws Error resources.
  void add(std::vector<Attribute> columns);

  /// The columns of a block, by its number, or none if none were added; valid until the next call. Blocks.
  /// @throws Error resources.
  const std::vector<Attribute>& block(std::int64_t number) const;

  /// How many blocks have been added.
  std::int64_t blocks() const { return static_cast<std::int64_t>(spool_ ? places_.size() : kept_.size()); }

  std::uint64_t file_bytes() const { return spool_ ? spool_->file_bytes() : 0; }

 private:
  /// Where a block is in the file. Small blocks share a stream, since each stream holds back some bytes in memory.
  struct Place {
    std::size_t stream;
    std::uint64_t begin;
    std::int64_t rows;
  };

  base::MemoryBudget* memory_;
  base::MemoryCharge charge_;  // for the columns in memory
  double charged_ = 0;
  std::vector<std::vector<Attribute>> kept_;  // those of all blocks, without a file
  std::optional<formats::Spool> spool_;
  std::vector<Place> places_;
  mutable std::vector<Attribute> block_;  // the columns that block() has read
  mutable std::int64_t loaded_ = -1;      // its number
  mutable Array<std::byte> stream_;       // that it is in
  mutable std::optional<std::size_t> loaded_stream_;
  mutable base::MemoryCharge stream_charge_;
};

}  // namespace kann::flow
