// ANN (Mount and Arya) as Park 2017 compares with it: one thread, doubles, queries in the order of the input.
#pragma once

#include <cstdint>
#include <memory>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann::bench {

class AnnJob {
 public:
  /// Copies both 3-D float32 clouds, since ANN needs one pointer per point.
  AnnJob(const Points& data, const Points& queries);
  ~AnnJob();

  /// Seconds to build the k-d tree with ANN's default bucket and split.
  double build();
  /// Seconds for the exact k nearest of `count` queries, evenly spaced; all queries by default.
  double query(int k, std::int64_t count = -1);

  /// The results of the last query(), one row per timed query.
  Neighbors neighbors() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::bench
