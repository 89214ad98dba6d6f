#include "cli/terminal/messages.hpp"

#include "cli/terminal/log.hpp"

namespace kann::cli {

void Messages::say(Level level, std::string text) {
  if (!progress_) {
    kept_.emplace_back(level, std::move(text));
    return;
  }
  progress_->clear();
  log(level, text);
}

void Messages::log(const std::function<std::string(const std::string&)>& named, bool only_warnings) {
  for (const auto& [level, text] : kept_)
    if (level == Level::warning || !only_warnings) log(level, named(text));
  kept_.clear();
}

void Messages::log(Level level, const std::string& text) {
  switch (level) {
    case Level::warning:
      return log_warning(text);
    case Level::info:
      return log_info(text);
    case Level::detail:
      return log_detail(text);
  }
}

}  // namespace kann::cli
