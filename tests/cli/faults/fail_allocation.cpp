// Preloaded into the program (LD_PRELOAD): allocation number FAIL_ALLOCATION fails, or all from FAIL_ALLOCATIONS_FROM
// on. They are counted from the call of std::set_terminate() on, at the beginning of main(). A failure creates the file
// FAIL_ALLOCATION_MARK.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

extern "C" {

// glibc's own names of its functions.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<bool> counts{false};
std::atomic<long> number{0};

long variable(const char* name) {
  const char* const text = std::getenv(name);
  return text ? std::atol(text) : 0;
}

// Each that fails makes the mark unless it is there: a second thread's could end the program before the first one's
// thread has made it.
void make_mark() {
  static std::atomic<bool> is_made{false};
  if (is_made) return;
  if (const char* const mark = std::getenv("FAIL_ALLOCATION_MARK")) close(open(mark, O_WRONLY | O_CREAT, 0600));
  is_made = true;
}

bool fails() {
  if (!counts) return false;
  static const long one = variable("FAIL_ALLOCATION"), from = variable("FAIL_ALLOCATIONS_FROM");
  const long now = ++number;
  if (now != one && (from <= 0 || now < from)) return false;
  make_mark();
  errno = ENOMEM;
  return true;
}

}  // namespace

std::terminate_handler std::set_terminate(std::terminate_handler handler) noexcept {
  using Function = std::terminate_handler (*)(std::terminate_handler);
  static const auto set = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "_ZSt13set_terminatePFvvE"));
  const std::terminate_handler before = set(handler);
  counts = true;
  return before;
}

extern "C" {

void* malloc(std::size_t size) { return fails() ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t count, std::size_t size) { return fails() ? nullptr : __libc_calloc(count, size); }
void* realloc(void* old, std::size_t size) { return fails() ? nullptr : __libc_realloc(old, size); }
void* memalign(std::size_t alignment, std::size_t size) { return fails() ? nullptr : __libc_memalign(alignment, size); }
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  void* const memory = memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}
}
