#include "base/threads/start_threads.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "kann/error.hpp"

#include "base/threads/granted_processors.hpp"
#include "base/threads/parallel.hpp"

namespace kann::base {
namespace {

/// The first number in OMP_NUM_THREADS, if it is positive; otherwise granted_processors(), rounded up.
int default_threads() {
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  if (const long number = variable ? std::strtol(variable, nullptr, 10) : 0; number > 0)
    return static_cast<int>(std::min(number, 1L << 20));
  return static_cast<int>(std::ceil(granted_processors()));
}

}  // namespace

int thread_count(int asked) {
  constexpr int maximum = 1024;
  return std::clamp(asked > 0 ? asked : default_threads(), 1, maximum);
}

StartedThreads start_threads(int asked) {
  const int wanted = thread_count(asked);
  if (wanted == 1) return {};
  ThreadPool& pool = thread_pool();
  const int startable = pool.start(wanted);
  if (startable == wanted) return {wanted, wanted};
  pool.stop();
  if (asked > 0)
    throw Error(ErrorKind::resources, "--threads " + std::to_string(asked) + ": only " + std::to_string(startable) +
                                          " can be started (address space, or a limit on processes); use fewer");
  return {pool.start(std::max(1, startable / 2)), wanted};
}

}  // namespace kann::base
