// Work that goes on beside a run, and that a run which fails does not wait for.
#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

namespace kann::cli {

/// Whether work begun by in_background() goes on. Then exit() would destroy what it uses, and main() ends the process
/// without it: a missing file is reported at once, and not when the CUDA driver has started.
bool has_background_work() noexcept;

/// One more piece of such work, or one less.
void count_background_work(int more) noexcept;

/// Calls f() on a thread of its own; the future holds what it returns or throws, and does not wait when destroyed. `f`
/// must own what it uses. Where no thread can be started, calls it here.
template <class F>
std::future<std::invoke_result_t<F>> in_background(F f) {
  auto task = std::make_shared<std::packaged_task<std::invoke_result_t<F>()>>(std::move(f));
  std::future<std::invoke_result_t<F>> result = task->get_future();
  const auto work = [task] {
    (*task)();
    count_background_work(-1);
  };
  count_background_work(1);
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    work();
  }
  return result;
}

}  // namespace kann::cli
