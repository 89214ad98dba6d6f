// Lets a thread that ends the program wait for results that are getting their names and are then reported.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace kann::cli {

class PublicationGate {
 public:
  /// A thread holds a pass from before its result gets its name until the result is reported. Once the gate is closed,
  /// the constructor does not return.
  class Pass {
   public:
    explicit Pass(PublicationGate& gate) : gate_(&gate) {
      std::unique_lock lock(gate_->mutex_);
      gate_->changed_.wait(lock, [&] { return !gate_->is_closed_; });
      ++gate_->within_;
    }
    ~Pass() { leave(); }

    void leave() {
      PublicationGate* const gate = std::exchange(gate_, nullptr);
      if (!gate) return;
      const std::lock_guard lock(gate->mutex_);
      --gate->within_;
      gate->changed_.notify_all();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    PublicationGate* gate_;
  };

  /// Closes the gate for good. Waits until no thread holds a pass, but no longer than `limit`.
  void close(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    is_closed_ = true;
    changed_.wait_for(lock, limit, [&] { return within_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int within_ = 0;
  bool is_closed_ = false;
};

}  // namespace kann::cli
