#include "flow/ranks/communicator.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "flow/ranks/shares.hpp"

namespace kann::flow {
namespace {

/// The first byte that a rank sends in meet(): this, or the kind of its failure, whose message follows.
constexpr std::byte k_goes_on{0};

Bytes failure_of(const Error& error) {
  const std::string message = error.what();
  Bytes bytes(1 + message.size());
  bytes[0] = static_cast<std::byte>(error.kind());
  std::memcpy(bytes.data() + 1, message.data(), message.size());
  return bytes;
}

Error error_of(const Bytes& failure) {
  return {static_cast<ErrorKind>(failure[0]),
          std::string(reinterpret_cast<const char*>(failure.data()) + 1, failure.size() - 1)};
}

Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::resources, "host memory: an allocation failed; give a smaller --max-memory"};
  } catch (const std::exception& error) {
    return {ErrorKind::internal, error.what()};
  } catch (...) {
    return {ErrorKind::internal, "unknown exception"};
  }
}

}  // namespace

/// gather() with k_goes_on in front. Every call begins with it, so a rank that has failed can tell the others without
/// knowing in which call they are.
std::vector<Bytes> Communicator::meet(Bytes own) {
  std::vector<Bytes> all = gather_all(std::move(own));
  const auto failed = std::ranges::find_if(all, [](const Bytes& given) { return given[0] != k_goes_on; });
  if (failed == all.end()) return all;
  has_failed_ = true;
  Error error = error_of(*failed);
  throw std::move(error);
}

std::vector<Bytes> Communicator::exchange(std::vector<Bytes> to) {
  if (is_alone()) return to;
  meet({k_goes_on});
  return exchange_all(std::move(to));
}

std::vector<Bytes> Communicator::gather(Bytes own) {
  if (is_alone()) return {std::move(own)};
  own.insert(own.begin(), k_goes_on);
  std::vector<Bytes> all = meet(std::move(own));
  for (Bytes& given : all) given.erase(given.begin());
  return all;
}

std::int64_t Communicator::sum(std::int64_t own) {
  const std::vector<std::int64_t> all = gather_value(own);
  return std::accumulate(all.begin(), all.end(), std::int64_t{0});
}

void Communicator::sum(std::span<std::int64_t> numbers) {
  if (is_alone()) return;
  const auto share = [&](int rank) {
    const auto begin_of = [&](int r) { return static_cast<std::size_t>(share_begin(std::ssize(numbers), size(), r)); };
    return numbers.subspan(begin_of(rank), begin_of(rank + 1) - begin_of(rank));
  };
  std::vector<Bytes> to;
  for (int r = 0; r < size(); ++r) {
    const auto bytes = std::as_bytes(share(r));
    to.emplace_back(bytes.begin(), bytes.end());
  }
  std::vector<std::int64_t> sums(share(rank()).size());
  for (const Bytes& given : exchange(std::move(to)))
    for (std::size_t i = 0; i < sums.size(); ++i) {
      std::int64_t number;
      std::memcpy(&number, given.data() + i * sizeof(number), sizeof(number));
      sums[i] += number;
    }
  std::ranges::copy(gather_values(sums), numbers.begin());
}

bool Communicator::any(bool own) {
  return std::ranges::any_of(gather_value(static_cast<char>(own)), [](char value) { return value != 0; });
}

void Communicator::fail(const Error& error) noexcept {
  if (is_alone() || std::exchange(has_failed_, true)) return;
  try {
    gather_all(failure_of(error));
  } catch (...) {  // the caller ends with the error anyway
  }
}

void run_together(Communicator& ranks, const std::function<void()>& f) {
  try {
    f();
  } catch (...) {
    ranks.fail(current_error());
    throw;
  }
}

}  // namespace kann::flow
