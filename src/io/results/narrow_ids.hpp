// Converts ids of 64 bits to ids of 32 bits, with which most results are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kann/array.hpp"

#include "base/parallel.hpp"

namespace kann::io {

/// Converts ids that int32 holds, on several threads, and returns their bytes, which are in `storage`.
inline std::span<const std::byte> narrow_ids(std::span<const std::int64_t> ids, Array<std::int32_t>& storage,
                                             int threads) {
  storage.resize(ids.size());
  base::parallel_for(std::ssize(ids), base::thread_count(threads), [&](std::int64_t i) {
    storage[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(ids[static_cast<std::size_t>(i)]);
  });
  return std::as_bytes(std::span<const std::int32_t>(storage.data(), storage.size()));
}

}  // namespace kann::io
