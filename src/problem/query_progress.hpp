// Reports how many queries have been searched, while several threads search them.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "problem/problem.hpp"

namespace kann::problem {

/// Calls Problem::on_progress on the thread that made this object, with fractions of the search from `begin` to `end`.
/// Meant for chunks of queries.
class QueryProgress {
 public:
  QueryProgress(const Problem& p, std::int64_t queries, double begin, double end)
      : p_(p), queries_(queries), begin_(begin), end_(end) {}

  /// Adds to the number of searched queries. May be called on any thread.
  void add(std::int64_t queries) {
    const double done = static_cast<double>(done_ += queries);
    if (std::this_thread::get_id() == owner_)
      p_.progress("search", begin_ + (end_ - begin_) * done / static_cast<double>(queries_));
  }

 private:
  const Problem& p_;
  const std::int64_t queries_;
  const double begin_, end_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<std::int64_t> done_{0};
};

}  // namespace kann::problem
