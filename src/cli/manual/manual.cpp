#include "cli/manual/manual.hpp"

#include "cli/manual/help.hpp"

namespace kann::cli {

std::string text_of(const Options& options) {
  switch (options.action) {
    case Action::search:
      break;
    case Action::show_short_help:
      return short_help_text();
    case Action::info:
    case Action::check:
      break;
    case Action::show_info_help:
      return help_text(subcommands()[0]);
    case Action::show_check_help:
      return help_text(subcommands()[1]);
    case Action::show_help:
      return help_text(Audience::most);
    case Action::show_whole_help:
      return help_text(Audience::few);
    case Action::show_version:
      return version_text();
    case Action::print_man_page:
      return man_page();
    case Action::print_bash_completion:
      return bash_completion();
    case Action::print_zsh_completion:
      return zsh_completion();
    case Action::print_fish_completion:
      return fish_completion();
    case Action::print_options_page:
      return options_page();
  }
  return {};
}

}  // namespace kann::cli
