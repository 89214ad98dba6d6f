// What a batch has still to say when a signal ends the program: of jobs that have ended, and wait for those before
// them.
#pragma once

#include <functional>

namespace kann::cli {

/// One at a time.
class LastWords {
 public:
  /// @param hold waits a little until no other thread speaks, and lets none speak any more; returns whether none does
  /// @param say is called after that
  LastWords(std::function<bool()> hold, std::function<void()> say);
  ~LastWords();
  LastWords(const LastWords&) = delete;
  LastWords& operator=(const LastWords&) = delete;

 private:
  friend void hold_last_words();
  friend void say_last_words();

  std::function<bool()> hold_;
  std::function<void()> say_;
};

/// Called by the thread that will end the program, before claim_end(), which stops the others wherever they are.
void hold_last_words();

/// Says them, if hold_last_words() could. Once.
void say_last_words();

}  // namespace kann::cli
