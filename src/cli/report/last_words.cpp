#include "cli/report/last_words.hpp"

#include <mutex>
#include <utility>

namespace kann::cli {
namespace {

std::mutex mutex_of_words;  // of the next two; a thread that holds it ends the program
LastWords* words = nullptr;
bool may_be_said = false;

}  // namespace

LastWords::LastWords(std::function<bool()> hold, std::function<void()> say)
    : hold_(std::move(hold)), say_(std::move(say)) {
  const std::lock_guard lock(mutex_of_words);
  words = this;
}

LastWords::~LastWords() {
  const std::lock_guard lock(mutex_of_words);
  words = nullptr;
}

void hold_last_words() {
  mutex_of_words.lock();  // for good: the words stay
  may_be_said = words && words->hold_();
}

void say_last_words() {
  if (std::exchange(may_be_said, false)) words->say_();
}

}  // namespace kann::cli
