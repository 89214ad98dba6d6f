#include "flow/rows/padded_lists.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <variant>

#include "kann/neighbors.hpp"

namespace kann::flow {

PaddedLists::PaddedLists(ListBlocks lists, std::int64_t most) : lists_(std::move(lists)) {
  blocks_.push_back({0, 0, 1});
  std::int64_t row = -1, before = 0;
  lists_.for_each_begins([&](std::span<const std::int64_t> begins) {
    for (const std::int64_t begin : begins) {
      const std::int64_t length = begin - std::exchange(before, begin);
      if (row++ < 0) continue;  // the first begins, and none ends
      const std::int64_t k = std::max(blocks_.back().k, length);
      if (blocks_.back().count > 0 && (blocks_.back().count + 1) * k > most) blocks_.push_back({row - 1, 0, 1});
      Block& block = blocks_.back();
      ++block.count;
      block.k = std::max(block.k, length);
    }
  });
  for (const Block& block : blocks_) most_ = std::max(most_, block.count * block.k);
}

double PaddedLists::bytes() const {
  const std::size_t id = lists_.has_wide_ids ? sizeof(std::int64_t) : sizeof(std::int32_t);
  return static_cast<double>(most_) * static_cast<double>(id + sizeof(float));
}

void PaddedLists::for_each(const std::function<void(const Rows&)>& f) const {
  if (queries() == 0) return f({.k = 1});
  lists_.has_wide_ids ? pass<std::int64_t>(f) : pass<std::int32_t>(f);
}

template <class Id>
void PaddedLists::pass(const std::function<void(const Rows&)>& f) const {
  Array<Id> ids(static_cast<std::size_t>(most_));
  Array<float> distances(ids.size());
  auto block = blocks_.begin();
  lists_.for_each([&](const Rows& some) {
    const auto& some_ids = std::get<std::span<const Id>>(some.ids);
    for (std::size_t i = 0; i + 1 < some.begins.size(); ++i) {
      const auto from = static_cast<std::size_t>(some.begins[i] - some.begins[0]);
      const auto length = static_cast<std::size_t>(some.begins[i + 1] - some.begins[i]);
      const std::int64_t row = some.first + static_cast<std::int64_t>(i) - block->first;
      const auto k = static_cast<std::size_t>(block->k), to = static_cast<std::size_t>(row) * k;
      std::ranges::copy(some_ids.subspan(from, length), ids.data() + to);
      std::ranges::copy(some.distances.subspan(from, length), distances.data() + to);
      std::fill_n(ids.data() + to + length, k - length, Id{k_missing_id});
      std::fill_n(distances.data() + to + length, k - length, std::numeric_limits<float>::infinity());
      if (row + 1 < block->count) continue;
      const std::size_t places = static_cast<std::size_t>(block->count) * k;
      f({block->first,
         block->count,
         block->k,
         {},
         std::span<const Id>(ids).first(places),
         std::span(distances).first(places)});
      ++block;
    }
  });
}

}  // namespace kann::flow
