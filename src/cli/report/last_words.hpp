// What a batch has still to say when a signal ends the program: of jobs that have ended, and wait for those before
// them.
#pragma once

#include <functional>
#include <mutex>

namespace kann::cli {

/// One at a time.
class LastWords {
 public:
  /// `say` is to be called with `mutex` locked, by which other threads keep what they say whole.
  LastWords(std::timed_mutex& mutex, std::function<void()> say);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  friend void hold_last_words() noexcept;
  friend void say_last_words();

  std::timed_mutex& mutex_;
  std::function<void()> say_;
};

/// Called by the thread that will end the program, before claim_end(), which stops the others wherever they are: waits
/// up to 0.3 s for the one that is speaking, and keeps the mutex.
void hold_last_words() noexcept;

/// Says them, if hold_last_words() has got the mutex. Once.
void say_last_words();

}  // namespace kann::cli
