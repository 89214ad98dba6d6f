// The ranks that make one search together: processes of MPI, or this one alone; in tests, threads of one process.
//
// All ranks make the same calls in the same order. A rank that cannot go on says so with fail(), which takes the place
// of its next call: all others then throw its error, instead of waiting for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "kann/error.hpp"

namespace kann::flow {

using Bytes = std::vector<std::byte>;

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int size() const = 0;
  virtual int rank() const = 0;       ///< the number of this rank, from 0
  virtual int host_size() const = 0;  ///< ranks that share the memory of this host
  virtual int host_rank() const = 0;  ///< the number of this rank among those of its host

  bool is_alone() const { return size() == 1; }

  /// Sends to[r] to rank r, and returns what each rank sent to this one. Blocks until all ranks have called it.
  /// @throws Error what the first rank gave to fail(); std::bad_alloc.
  std::vector<Bytes> exchange(std::vector<Bytes> to);

  /// Returns what every rank passed, by rank. Blocks, and throws, as exchange().
  std::vector<Bytes> gather(Bytes own);

  /// gather() for values of one type.
  template <class T>
  std::vector<T> gather_values(const std::vector<T>& own);
  template <class T>
  std::vector<T> gather_value(const T& own) {
    return gather_values(std::vector<T>{own});
  }

  /// Blocks until all ranks have called it. @throws as exchange().
  void wait() { gather({}); }

  std::int64_t sum(std::int64_t own);

  /// Replaces each number by its sum over all ranks, which pass equally many. Blocks, and throws, as exchange(). Takes
  /// some four times the memory of the numbers, for any number of ranks, since each rank adds up a share of them.
  void sum(std::span<std::int64_t> numbers);

  bool any(bool own);

  /// Makes all other ranks throw this error from their present or next call. To be called once, by a rank that makes no
  /// further call; blocks until they have come to it. Does nothing if this rank threw what another gave.
  void fail(const Error& error) noexcept;

 private:
  std::vector<Bytes> meet(Bytes own);

  virtual std::vector<Bytes> gather_all(Bytes own) = 0;
  virtual std::vector<Bytes> exchange_all(std::vector<Bytes> to) = 0;

  bool has_failed_ = false;
};

/// A communicator with a single rank.
class Alone : public Communicator {
 public:
  int size() const override { return 1; }
  int rank() const override { return 0; }
  int host_size() const override { return 1; }
  int host_rank() const override { return 0; }

 private:
  std::vector<Bytes> gather_all(Bytes own) override { return {std::move(own)}; }
  std::vector<Bytes> exchange_all(std::vector<Bytes> to) override { return to; }
};

/// The communicator of a process that is alone.
inline Communicator& alone() {
  static Alone only;
  return only;
}

/// Calls f(). If it throws, the other ranks throw the same error from their present or next call of `ranks`.
void run_together(Communicator& ranks, const std::function<void()>& f);

template <class T>
std::vector<T> Communicator::gather_values(const std::vector<T>& own) {
  static_assert(std::is_trivially_copyable_v<T>);
  Bytes bytes(own.size() * sizeof(T));
  if (!own.empty()) std::memcpy(bytes.data(), own.data(), bytes.size());
  std::vector<T> all;
  for (const Bytes& part : gather(std::move(bytes))) {
    const std::size_t before = all.size();
    all.resize(before + part.size() / sizeof(T));
    if (!part.empty()) std::memcpy(all.data() + before, part.data(), part.size());
  }
  return all;
}

}  // namespace kann::flow
