// Compares the device's bytes with those of another solver of the same problem.
#pragma once

#include <cstring>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "kann/search.hpp"

#include "brute_force.hpp"
#include "cpu/backend.hpp"
#include "cuda/backend.hpp"
#include "cuda/thinned_out.hpp"
#include "problems.hpp"

namespace kann::test {

template <class T>
bool same_bytes(const Array<T>& a, const Array<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The first row in which two results differ, with its first differing neighbour.
inline std::string first_difference(const Neighbors& got, const Neighbors& want) {
  for (std::size_t i = 0; i < std::min(got.ids.size(), want.ids.size()); ++i)
    if (got.ids[i] != want.ids[i] || std::memcmp(&got.distances[i], &want.distances[i], sizeof(float)) != 0) {
      std::ostringstream text;
      text.precision(9);
      text << "row " << static_cast<std::int64_t>(i) / want.k << " rank " << static_cast<std::int64_t>(i) % want.k
           << ": got " << got.ids[i] << " at " << got.distances[i] << ", want " << want.ids[i] << " at "
           << want.distances[i];
      return text.str();
    }
  return "none";
}

/// Compares the device's bytes with those of `solve`, which gets the same problem.
template <class Solve>
void expect_bytes_of(Solve solve, const Case& c, const SearchOptions& options) {
  if (thinned_out()) return;
  const problem::Prepared prepared = c.prepare(options);
  const Neighbors want = solve(prepared.problem);
  const Neighbors got = cuda::solve(prepared.problem, 0).neighbors;
  const std::string what = c.name + " k=" + std::to_string(options.k);
  ASSERT_TRUE(same_bytes(got.ids, want.ids)) << what << ": " << first_difference(got, want);
  ASSERT_TRUE(same_bytes(got.distances, want.distances)) << what << ": " << first_difference(got, want);
}

inline void expect_cpu_bytes(const Case& c, const SearchOptions& options) {
  expect_bytes_of([](const problem::Problem& p) { return cpu::solve(p).neighbors; }, c, options);
}

inline void expect_brute_force_bytes(const Case& c, const SearchOptions& options) {
  expect_bytes_of(plain_exact, c, options);
}

inline void expect_definition(const Case& c, const SearchOptions& options) {
  expect_bytes_of(plain_shifted_sort, c, options);
}

inline SearchOptions shifted(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  options.method = Method::shifted_sort;
  return options;
}

inline SearchOptions exact(std::int64_t k) {
  SearchOptions options;
  options.k = k;
  return options;
}

inline SearchOptions paper(std::int64_t k) {
  SearchOptions options = shifted(k);
  options.method = Method::paper;
  return options;
}

}  // namespace kann::test
