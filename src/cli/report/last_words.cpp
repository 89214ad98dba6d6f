#include "cli/report/last_words.hpp"

#include <chrono>
#include <utility>

namespace kann::cli {
namespace {

std::mutex mutex_of_words;  // of the next two; a thread that holds it ends the program
LastWords* words = nullptr;
bool are_held = false;

}  // namespace

LastWords::LastWords(std::timed_mutex& mutex, std::function<void()> say) : mutex_(mutex), say_(std::move(say)) {
  const std::lock_guard lock(mutex_of_words);
  words = this;
}

LastWords::~LastWords() {
  const std::lock_guard lock(mutex_of_words);
  words = nullptr;
}

void hold_last_words() noexcept {
  mutex_of_words.lock();  // for good: the words stay
  are_held = words && words->mutex_.try_lock_for(std::chrono::milliseconds(300));
}

void say_last_words() {
  if (std::exchange(are_held, false)) words->say_();
}

}  // namespace kann::cli
