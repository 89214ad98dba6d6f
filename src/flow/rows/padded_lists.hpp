// Lists as rows of one length in each block, with missing neighbours after the last of a list: for products, which take
// rows. Blocks are chosen so that few are missing, and no block is large.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "kann/io.hpp"
#include "kann/radius.hpp"

namespace kann::flow {

class PaddedLists {
 public:
  /// Looks at where the lists begin. @param most places in a block, unless a list is longer
  PaddedLists(ListBlocks lists, std::int64_t most);

  std::int64_t queries() const { return lists_.queries; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(blocks_.size()); }  ///< one, if there are no queries
  std::int64_t most() const { return most_; }                                        ///< places of the largest block

  /// Bytes of memory that for_each() takes.
  double bytes() const;

  /// Calls f() with all blocks in their order, rows of k ≥ 1 places. Blocks. @throws what the lists and f throw.
  void for_each(const std::function<void(const Rows&)>& f) const;

 private:
  struct Block {
    std::int64_t first, count, k;
  };
  template <class Id>
  void pass(const std::function<void(const Rows&)>& f) const;

  const ListBlocks lists_;
  std::vector<Block> blocks_;
  std::int64_t most_ = 0;
};

}  // namespace kann::flow
