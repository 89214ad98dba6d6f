// The memory of a result on the host, whose pages are made while the device searches.
#pragma once

#include <future>

#include "kann/neighbors.hpp"

#include "problem/problem.hpp"

namespace kann::cuda {

/// The memory for the result of one problem.
class ResultMemory {
 public:
  /// Takes the arrays of `made` if it has any, since their pages exist already; otherwise begins to touch the pages on
  /// other threads. Does not block. @throws std::bad_alloc.
  ResultMemory(const problem::Problem& problem, Neighbors made);

  /// The arrays. Blocks until all pages exist.
  Neighbors take();

 private:
  Neighbors result_;
  std::future<void> touched_;  // it comes from std::async, so its destructor waits
};

}  // namespace kann::cuda
