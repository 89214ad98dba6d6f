#include "base/host_memory.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

#include "kann/error.hpp"

namespace kann::base {
namespace {

constexpr std::int64_t k_unlimited = std::numeric_limits<std::int64_t>::max();

/// The bytes after `key` in a file of lines "key: number kB", if it is there.
std::optional<std::int64_t> bytes_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    std::int64_t kilobytes = 0;
    if (word == key && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return {};
}

std::int64_t machine_memory() {
  if (const auto available = bytes_in("/proc/meminfo", "MemAvailable:")) return *available;
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// What remains of memory.max in the root control group as this process sees it: in a container, its own limit.
std::int64_t control_group_memory() {
  std::ifstream limit("/sys/fs/cgroup/memory.max"), usage("/sys/fs/cgroup/memory.current");
  std::int64_t maximum = 0, used = 0;
  if (!(limit >> maximum) || !(usage >> used)) return k_unlimited;  // no file, or "max"
  return std::max<std::int64_t>(0, maximum - used);
}

/// What remains of the limit on the address space (ulimit -v).
std::int64_t address_space() {
  rlimit limit;
  std::int64_t pages = 0;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return k_unlimited;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return k_unlimited;
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(limit.rlim_cur) - pages * sysconf(_SC_PAGESIZE));
}

}  // namespace

std::int64_t available_host_memory() { return std::min({machine_memory(), control_group_memory(), address_space()}); }

bool has_host_memory(double bytes) {
  return bytes < k_unchecked_bytes || bytes <= static_cast<double>(available_host_memory());
}

void check_host_memory(double bytes, const char* what) {
  if (bytes < k_unchecked_bytes) return;
  const double available = static_cast<double>(available_host_memory());
  if (bytes > available)
    throw Error(ErrorKind::resources, std::string("host memory: ") + what + " needs " + bytes_text(bytes) + ", " +
                                          bytes_text(available) + " are available");
}

std::int64_t peak_host_memory() { return bytes_in("/proc/self/status", "VmHWM:").value_or(0); }

double program_bytes(int threads, bool has_ranks) { return 12e6 + 1e5 * threads + (has_ranks ? 12e6 : 0); }

std::string bytes_text(double bytes) {
  if (bytes < 1e4) return fmt::format("{:.0f} bytes", bytes);
  if (bytes < .9995e9) return fmt::format("{:.3g} MB", bytes / 1e6);
  return bytes < .9995e12 ? fmt::format("{:.3g} GB", bytes / 1e9) : fmt::format("{:.3g} TB", bytes / 1e12);
}

std::string enough_text(double bytes) {
  double unit = bytes < 1e9 ? 1e4 : 1e7;  // for three digits at most
  while (bytes >= 1000 * unit) unit *= 10;
  return bytes_text(std::ceil(bytes / unit) * unit);
}

void check_result_size(std::int64_t queries, std::int64_t k) {
  constexpr double bytes_each = sizeof(std::int32_t) + sizeof(float);
  const std::string what = "a result of " + std::to_string(queries) + " queries x " + std::to_string(k) + " neighbours";
  check_host_memory(static_cast<double>(queries) * static_cast<double>(k) * bytes_each, what.c_str());
}

void save_addresses() {
#ifdef __GLIBC__
  if (address_space() < k_unlimited) mallopt(M_ARENA_MAX, 1);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  malloc_trim(0);
#endif
}

}  // namespace kann::base
