// nanoflann as a peer: float32, queries in Morton order on all threads, result rows in the order of the input.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "kann/neighbors.hpp"
#include "kann/points.hpp"

namespace kann::bench {

/// The whole job is build() + sort_queries() + query(), each of which returns its seconds. The first two do not depend
/// on k.
class NanoflannJob {
 public:
  /// 3-D float32 clouds, which must outlive the job.
  NanoflannJob(const Points& data, const Points& queries, int threads);
  ~NanoflannJob();

  double build();
  double sort_queries();
  double query(std::int64_t k);

  /// The results of the last query().
  const Neighbors& neighbors() const;

  static std::string version();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kann::bench
