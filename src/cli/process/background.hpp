// Runs tasks in threads of their own, for which a run that fails does not wait.
#pragma once

#include <future>
#include <memory>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/threads/signal_stack.hpp"

namespace kann::cli {

/// Whether a task of in_background() is still running. If so, main() calls _exit(), as exit() would destroy objects
/// that the task uses. A missing file is thus reported at once, not after the CUDA driver has started.
bool has_background_work() noexcept;

/// Adds `change` to the number of running tasks: 1 before a task starts, -1 after it ends.
void add_background_work(int change) noexcept;

/// Calls f() in a new thread. The future returns its result or throws its exception; the future's destructor does not
/// wait. `f` must own what it uses. If no thread can be started, f() runs in the calling thread.
template <class F>
std::future<std::invoke_result_t<F>> in_background(F f) {
  auto task = std::make_shared<std::packaged_task<std::invoke_result_t<F>()>>(std::move(f));
  std::future<std::invoke_result_t<F>> result = task->get_future();
  const auto work = [task] {
    const base::SignalStack stack;
    (*task)();
    add_background_work(-1);
  };
  add_background_work(1);
  try {
    std::thread(work).detach();
  } catch (const std::system_error&) {
    work();
  }
  return result;
}

}  // namespace kann::cli
