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

  /// The columns of a block, by its number; valid until the next call. Blocks. @throws Error resources.
  const std::vector<Attribute>& block(std::int64_t number) const;

  std::uint64_t file_bytes() const { return spool_ ? spool_->file_bytes() : 0; }

 private:
  base::MemoryBudget* memory_;
  base::MemoryCharge charge_;             // for block_
  std::optional<formats::Spool> spool_;   // by column and block
  std::vector<std::int64_t> sizes_;       // of the blocks in the file
  mutable std::vector<Attribute> block_;  // the columns that block() has read, or all of the only block in memory
  mutable std::int64_t loaded_ = -1;      // its number
};

}  // namespace kann::flow
