#include "cpu/select.hpp"

#include <algorithm>
#include <iterator>

namespace kann::cpu {

void Selector::merge_fresh(NeighborKey* kept) {
  std::sort(fresh_.begin(), fresh_.end());
  NeighborKey* const kept_end = std::lower_bound(kept, kept + k_, k_absent);
  merged_.clear();
  std::set_union(kept, kept_end, fresh_.begin(), fresh_.end(), std::back_inserter(merged_));
  std::copy_n(merged_.begin(), std::min<std::int64_t>(k_, static_cast<std::int64_t>(merged_.size())), kept);
}

}  // namespace kann::cpu
