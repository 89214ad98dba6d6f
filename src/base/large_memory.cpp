// The memory of large arrays, in huge pages.
#include <new>
#include <sys/mman.h>

#include "kann/array.hpp"

namespace kann {
namespace {

constexpr std::size_t k_huge_page = std::size_t{2} << 20;

}  // namespace

void* allocate_large(std::size_t bytes) {
  void* const memory = ::operator new(bytes, std::align_val_t(k_huge_page));
  // Only the whole huge pages: one that reaches past the end would take its full size. The call fails harmlessly on a
  // system without huge pages.
  madvise(memory, bytes / k_huge_page * k_huge_page, MADV_HUGEPAGE);
  return memory;
}

void free_large(void* memory) noexcept { ::operator delete(memory, std::align_val_t(k_huge_page)); }

}  // namespace kann
