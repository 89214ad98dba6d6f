// The messages of a job: printed at once, or kept until it is the job's turn among the jobs of a batch.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cli/terminal/progress.hpp"

namespace kann::cli {

/// Used by one thread at a time.
class Messages {
 public:
  /// Logs at once, and shows what the job is doing by `progress`.
  explicit Messages(Progress& progress) : progress_(&progress) {}

  /// Keeps the messages for log().
  Messages() = default;

  void warning(std::string text) { say(Level::warning, std::move(text)); }
  void info(std::string text) { say(Level::info, std::move(text)); }
  void detail(std::string text) { say(Level::detail, std::move(text)); }

  /// Logs the kept messages in their order, each as `named` returns it: all, or the warnings alone.
  void log(const std::function<std::string(const std::string&)>& named, bool only_warnings);

  /// The progress line; null if the progress of this job is not shown.
  Progress* progress() { return progress_; }

  /// progress(), or null if it is not shown.
  Progress* shown_progress() { return progress_ && progress_->is_shown() ? progress_ : nullptr; }

 private:
  enum class Level { warning, info, detail };
  void say(Level level, std::string text);
  static void log(Level level, const std::string& text);

  Progress* progress_ = nullptr;
  std::vector<std::pair<Level, std::string>> kept_;
};

}  // namespace kann::cli
