// The k nearest of the candidates seen so far, kept query by query from shift to shift.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/distance.hpp"

namespace kann::cpu {

/// Merges candidates into a sorted list of the k smallest distinct neighbour keys. One object serves many queries, one
/// after the other, and keeps its memory.
class Selector {
 public:
  explicit Selector(std::int64_t k) : k_(k) {}

  /// `kept[0 … k)` is sorted, absent keys at its end. Afterwards it holds the k smallest distinct keys of itself and of
  /// the candidates: point indices[i] at sq_dists[i], without the point `excluded` (none: any index not among them).
  /// No index may occur twice among the candidates.
  template <class IndexAt>
  void merge(const float* sq_dists, IndexAt index_at, std::int64_t count, std::int64_t excluded, NeighborKey* kept) {
    if (k_ <= k_insertion_limit) {
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t index = index_at(i);
        const NeighborKey key = neighbor_key(sq_dists[i], index);
        if (key < kept[k_ - 1] && index != excluded) insert(key, kept);
      }
    } else {
      fresh_.clear();
      for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t index = index_at(i);
        const NeighborKey key = neighbor_key(sq_dists[i], index);
        if (key < kept[k_ - 1] && index != excluded) fresh_.push_back(key);
      }
      merge_fresh(kept);
    }
  }

 private:
  // Insertion moves k/2 keys a candidate, sorting compares log₂ of the window; they cost the same at about 100.
  static constexpr std::int64_t k_insertion_limit = 100;

  /// `key` is below the last one kept. From the back, since most candidates that get in are among the last.
  void insert(NeighborKey key, NeighborKey* kept) const {
    std::int64_t place = k_ - 1;
    while (place > 0 && kept[place - 1] > key) --place;
    if (place > 0 && kept[place - 1] == key) return;  // seen in an earlier shift
    for (std::int64_t j = k_ - 1; j > place; --j) kept[j] = kept[j - 1];
    kept[place] = key;
  }

  void merge_fresh(NeighborKey* kept);

  std::int64_t k_;
  std::vector<NeighborKey> fresh_, merged_;
};

}  // namespace kann::cpu
