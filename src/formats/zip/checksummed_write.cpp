#include "formats/zip/checksummed_write.hpp"

#include <algorithm>
#include <atomic>
#include <optional>

#include "base/threads/copy_threads.hpp"
#include "formats/zip/crc32.hpp"

namespace kann::formats {
namespace {

constexpr std::size_t k_cached_piece = std::size_t{1} << 20;         // stays in a core's cache between its two uses
constexpr std::size_t k_worth_a_thread = std::size_t{4} << 20;       // starting one takes 0.05 ms, as long as 0.5 MB
constexpr std::size_t k_uninterrupted_piece = std::size_t{4} << 20;  // 0.4 ms

/// Calls f(piece) for pieces of `bytes` in their order, until it returns false. Returns whether it never did.
template <class F>
bool for_each_piece(std::span<const std::byte> bytes, std::size_t size, F&& f) {
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(size, bytes.size())))
    if (!f(bytes.first(std::min(size, bytes.size())))) return false;
  return true;
}

}  // namespace

std::uint32_t write_beside_crc32(ByteSink& sink, std::span<const std::byte> bytes, std::uint32_t crc, int threads) {
  if (bytes.size() <= k_worth_a_thread || base::thread_count(threads) == 1) {
    for_each_piece(bytes, k_cached_piece, [&](auto piece) {
      crc = crc32(crc, piece, 1);
      sink.write(piece);
      return true;
    });
    return crc;
  }

  // One thread sums 9 GB per second, several times what one file takes.
  std::optional<std::uint32_t> sum;
  std::atomic<bool> has_failed{false};
  base::on_workers(2, [&](std::size_t worker) {
    if (worker == 0) {
      try {
        sink.write(bytes);
      } catch (...) {
        has_failed = true;
        throw;
      }
      return;
    }
    std::uint32_t so_far = crc;
    const bool is_complete = for_each_piece(bytes, k_uninterrupted_piece, [&](auto piece) {
      so_far = crc32(so_far, piece, 1);
      return !has_failed;
    });
    if (is_complete) sum = so_far;
  });
  return sum ? *sum : crc32(crc, bytes, 1);  // no second thread could be started
}

}  // namespace kann::formats
