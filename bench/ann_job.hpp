// ANN (Mount and Arya) as Park 2017 had it for comparison: one thread, doubles, queries in the order they come.
#pragma once

#include <cstdint>
#include <memory>

#include "kann/points.hpp"

namespace kann::bench {

class AnnJob {
 public:
  /// Copies both 3-D float32 clouds, since ANN wants a pointer a point.
  AnnJob(const Points& data, const Points& queries);
  ~AnnJob();

  /// Seconds to build the k-d tree with ANN's default bucket and split.
  double build();
  /// Seconds for the exact k nearest of `count` queries, evenly spaced, all of them by default.
  double query(int k, std::int64_t count = -1);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::bench
