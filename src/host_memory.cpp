#include "host_memory.hpp"

#include <fstream>
#include <limits>
#include <string>
#include <unistd.h>

#include "kann/error.hpp"

namespace kann {
namespace {

std::string gigabytes(double bytes) {
  const double gb = bytes / 1e9;
  std::string text = std::to_string(gb);
  return text.substr(0, text.find('.') + 3) + " GB";
}

}  // namespace

std::int64_t available_host_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::int64_t kilobytes = 0;
    if (key == "MemAvailable:" && meminfo >> kilobytes) return kilobytes * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

void check_host_memory(double bytes, const char* what) {
  const double available = static_cast<double>(available_host_memory());
  if (bytes > available)
    throw Error(ErrorKind::resources, std::string("host memory: ") + what + " needs " + gigabytes(bytes) + ", " +
                                          gigabytes(available) + " are available");
}

void check_result_size(std::int64_t queries, std::int64_t k) {
  constexpr double bytes_each = sizeof(std::int32_t) + sizeof(float);
  const std::string what = "a result of " + std::to_string(queries) + " queries x " + std::to_string(k) + " neighbours";
  check_host_memory(static_cast<double>(queries) * static_cast<double>(k) * bytes_each, what.c_str());
}

}  // namespace kann
