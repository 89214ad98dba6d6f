// The exact answer among clouds in memory, found by nanoflann; it shares no code with the search that it checks.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "products/accuracy/distinct_points.hpp"
#include "products/accuracy/judged_clouds.hpp"

namespace kann::accuracy {

class ReferenceTree {
 public:
  /// Builds a k-d tree over the data of the clouds, which must outlive it. Blocks. @throws Error resources,
  /// std::bad_alloc.
  ReferenceTree(const JudgedClouds& clouds, int threads);
  ~ReferenceTree();

  /// Fills `nearest` with the k smallest (d², id) of a query, ascending, or with all if there are fewer. Thread-safe.
  void find(std::int64_t query, std::vector<Nearest>& nearest) const;

  struct Index;  // defined in the source file, which includes nanoflann

 private:
  void find_in_box(const std::array<double, 3>& query, const LeftOut& left_out, std::int64_t own,
                   std::vector<Nearest>& nearest) const;
  void put_numbers(std::span<Nearest> nearest) const;

  const JudgedClouds& clouds_;
  const DistinctPoints points_;
  std::unique_ptr<const Index> index_;
};

}  // namespace kann::accuracy
