#include "cli/process/background.hpp"

#include <atomic>

namespace kann::cli {
namespace {

std::atomic<int> running_tasks{0};

}  // namespace

bool has_background_work() noexcept { return running_tasks > 0; }

void add_background_work(int change) noexcept { running_tasks += change; }

}  // namespace kann::cli
