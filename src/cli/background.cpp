#include "cli/background.hpp"

#include <atomic>

namespace kann::cli {
namespace {

std::atomic<int> pieces_of_work{0};

}  // namespace

bool has_background_work() noexcept { return pieces_of_work > 0; }

void count_background_work(int more) noexcept { pieces_of_work += more; }

}  // namespace kann::cli
