#include "cli/options/unexpected_argument.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/suggest.hpp"
#include "base/usage_error.hpp"
#include "cli/options/option_table.hpp"

namespace kann::cli {

std::string known_elsewhere(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"format", "--data-format, --query-format or --output-format"},
      {"input", "--data"},
      {"in", "--data"},
      {"i", "--data"},
      {"reference", "--data"},
      {"target", "--data"},
      {"points", "--data"},
      {"source", "--query"},
      {"queries", "--query"},
      {"out", "--output"},
      {"overwrite", "--force"},
      {"r", "--radius"},
      {"max-distance", "--radius"},
      {"max-dist", "--radius"},
      {"search-radius", "--radius"},
      {"distance-upper-bound", "--radius"},
      {"within", "--radius"},
      {"eps", "--radius, if it is a distance"},
      {"count", "--k all --radius R --stats"},
      {"csv", "--output NAME.csv"},
      {"n", "--k"},
      {"nn", "--k"},
      {"knn", "--k"},
      {"neighbors", "--k"},
      {"neighbours", "--k"},
      {"num-neighbors", "--k"},
      {"n-neighbors", "--k"},
      {"n_neighbors", "--k"},
      {"gpu", "--device cuda"},
      {"cuda", "--device cuda"},
      {"cpu", "--device cpu"},
      {"j", "--threads"},
      {"brute-force", "--exact"},
      {"approx", "--method shifted-sort"},
      {"approximate", "--method shifted-sort"},
      {"box", "--periodic"},
      {"boxsize", "--periodic"},
      {"pbc", "--periodic"},
      {"memory", "--max-memory"},
      {"tmp", "--temp-folder"},
      {"interpolate", "--transfer NAME --by idw"},
      {"vmin", "--color-range A,B"},
      {"vmax", "--color-range A,B"},
      {"clim", "--color-range A,B"},
      {"normals", "--features normals"},
      {"dbscan", "--cluster R,MIN"},
      {"exact", "--method exact"},
  };
  const auto found = std::ranges::find(words, word, &std::pair<std::string_view, std::string_view>::first);
  if (found == std::end(words)) return "";
  return "here it is " + std::string(found->second);
}

const Subcommand* seems_subcommand(const std::string& word) {
  std::error_code ignored;
  for (const Subcommand& subcommand : subcommands())
    if (word == subcommand.name ||
        (!base::nearest_name(word, {&subcommand.name, 1}).empty() && !std::filesystem::exists(word, ignored)))
      return &subcommand;
  return nullptr;
}

void fail_unexpected(std::string_view argument) {
  const Subcommand* const meant = seems_subcommand(std::string(argument));
  if (meant && argument == meant->name)
    base::fail_usage(fmt::format("'{0}' comes before all options, as in: kann {0} {1} --json", argument, meant->file));
  if (argument.size() < 2 || argument[0] != '-')
    base::fail_usage(
        fmt::format("unexpected argument '{}'; {}clouds are given as --data FILE and --query FILE, or as "
                    "words without options: kann DATA QUERY",
                    argument, meant ? fmt::format("did you mean 'kann {} FILE'? ", meant->name) : ""));

  const std::string_view flag = argument.substr(0, argument.find('='));
  const std::string_view word = flag.substr(std::min(flag.find_first_not_of('-'), flag.size()));
  if (const std::string ours = known_elsewhere(word); !ours.empty())
    base::fail_usage("unknown option '" + std::string(flag) + "'; " + ours);
  std::vector<std::string_view> names;
  for (const OptionSpec& option : option_table()) names.push_back(option.name);
  const std::string_view nearest = base::nearest_name(word, names);
  base::fail_usage("unknown option '" + std::string(flag) + "'; " +
                   (nearest.empty() ? "see kann --help" : "did you mean '--" + std::string(nearest) + "'?"));
}

void refuse_unknown_variables() {
  constexpr std::string_view prefix = "KANN_", of_scripts = "KANN_PRESET";
  std::vector<std::string> known;
  for (const OptionSpec& option : option_table())
    if (option.has_variable) known.push_back(variable_of(option));
  std::vector<std::string_view> words;  // of two names, only the rest is compared: the prefix would make them near
  for (const std::string_view name : known) words.push_back(name.substr(prefix.size()));
  for (char** variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable, name = text.substr(0, text.find('='));
    if (!name.starts_with(prefix) || name == of_scripts || std::ranges::count(known, name) > 0) continue;
    const std::string_view nearest = base::nearest_name(name.substr(prefix.size()), words);
    base::fail_usage(fmt::format("unknown variable '{}'; {}kann reads {}", name,
                                 nearest.empty() ? "" : fmt::format("did you mean '{}{}'? ", prefix, nearest),
                                 fmt::join(known, ", ")));
  }
}

}  // namespace kann::cli
