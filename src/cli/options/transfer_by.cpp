#include "cli/options/transfer_by.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "kann/error.hpp"

#include "base/letter_case.hpp"
#include "base/suggest.hpp"
#include "base/usage_error.hpp"

namespace kann::cli {
namespace {

TransferMethod method_of(const Given& given) {
  return one_of<TransferMethod>(given, {{"nearest", TransferMethod::nearest},
                                        {"mean", TransferMethod::mean},
                                        {"idw", TransferMethod::idw},
                                        {"vote", TransferMethod::vote},
                                        {"rbf", TransferMethod::rbf}});
}

bool is_named(const TransferBy& entry) { return !entry.name.empty(); }

void check_name(const std::string& name, std::span<const std::string> names) {
  if (std::ranges::count(names, name) > 0) return;
  const auto same = std::ranges::find_if(names, [&](const auto& n) { return base::equal_in_any_case(n, name); });
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest = same != names.end() ? *same : base::nearest_name(name, known);
  base::fail_usage(fmt::format("--by: no '{}' among the names of --transfer ({}){}", name, fmt::join(names, ", "),
                               nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

}  // namespace

std::vector<TransferBy> transfer_by(const Given& given) {
  std::vector<TransferBy> by;
  for (const std::string& entry : names(given)) {
    const std::size_t equals = entry.rfind('=');  // a name may have others
    if (equals == std::string::npos) {
      by.push_back({"", method_of({given.name, entry})});
      continue;
    }
    const std::string name = entry.substr(0, equals);
    if (name.empty()) refuse(given, "METHOD or NAME=METHOD, between commas");
    by.push_back({name, method_of({given.name + " " + name + "=METHOD", entry.substr(equals + 1)})});
  }
  return by;
}

void check_transfer_by(std::span<const TransferBy> by, std::span<const std::string> names) {
  if (by.empty()) return;
  if (names.empty()) base::fail_usage("--by needs --transfer NAME");
  const auto named = static_cast<std::size_t>(std::ranges::count_if(by, is_named));
  const std::size_t unnamed = by.size() - named;
  if (named == 0 && unnamed > 1 && unnamed != names.size())
    base::fail_usage(fmt::format("--by has {} methods for {} names of --transfer; give one, or one for each", unnamed,
                                 names.size()));
  if (named > 0 && unnamed > 1)
    base::fail_usage(
        fmt::format("--by has {} methods without a name beside NAME=METHOD; give one, for all other names", unnamed));
  for (const TransferBy& entry : by) {
    if (!is_named(entry)) continue;
    check_name(entry.name, names);
    if (std::ranges::count(by, entry.name, &TransferBy::name) > 1)
      base::fail_usage("--by names '" + entry.name + "' twice");
  }
}

AskedMethod asked_method(std::span<const TransferBy> by, const std::string& name, std::size_t place) {
  if (const auto own = std::ranges::find(by, name, &TransferBy::name); own != by.end()) return {own->method, false};
  const auto unnamed = std::ranges::find_if_not(by, is_named);
  if (unnamed == by.end()) return {TransferMethod::nearest, true};
  const bool is_list = by.size() > 1 && std::ranges::none_of(by, is_named);
  return is_list ? AskedMethod{by[place].method, false} : AskedMethod{unnamed->method, true};
}

}  // namespace kann::cli
