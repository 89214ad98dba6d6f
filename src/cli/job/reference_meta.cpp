#include "cli/job/reference_meta.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>
#include <vector>

#include "kann/error.hpp"

#include "cli/json/json_object.hpp"

namespace kann::cli {
namespace {

/// The members of a JSON object; none of any other text.
class Members {
 public:
  explicit Members(std::string_view text) : members_(read_json_object(text).value_or(JsonMembers())) {}

  std::string_view text(std::string_view key) const {
    for (const auto& [name, value] : members_)
      if (name == key) return value;
    return "";
  }
  bool has(std::string_view key) const { return !text(key).empty(); }

  template <class T>
  std::optional<T> number(std::string_view key) const {
    return number_of<T>(text(key));
  }

  /// Those of an array without other values; none of anything else.
  std::vector<double> numbers(std::string_view key) const {
    std::string_view rest = text(key);
    if (!rest.starts_with('[') || !rest.ends_with(']')) return {};
    rest = rest.substr(1, rest.size() - 2);
    std::vector<double> all;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const auto value = number_of<double>(rest.substr(0, end));
      if (!value) return {};
      all.push_back(*value);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return all;
  }

 private:
  template <class T>
  static std::optional<T> number_of(std::string_view digits) {
    T value{};
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  }

  JsonMembers members_;
};

std::string box_text(const std::vector<double>& sides) {
  return sides.empty() ? "none" : fmt::format("{}", fmt::join(sides, ","));
}

[[noreturn]] void refuse_reference(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, file + ": " + what);
}

void check_cloud(const Members& meta, std::string_view key, const CloudFacts& facts, const std::string& file) {
  const Members cloud(meta.text(key));
  const auto dimensions = cloud.number<int>("dimensions");
  if (dimensions && *dimensions != facts.dimensions)
    refuse_reference(file, fmt::format("the result of a search in {}-D (need {}-D)", *dimensions, facts.dimensions));
  const std::int64_t points = facts.points;
  const auto got = cloud.number<std::int64_t>("points");
  if (got && *got != points)
    refuse_reference(file, fmt::format("the result of a search with other {} (got {} points, need {})",
                                       key == "data" ? "data" : "queries", *got, points));
}

/// Of a self-query, whether points are in their own rows.
void check_self(const Members& meta, const Options& options, std::int64_t k, const std::string& file) {
  const bool was_self = meta.text("self_query") == "true", had_self = meta.text("include_self") == "true";
  const bool has_self = !options.self_query() || options.search.include_self;
  if (was_self && !had_self && has_self)
    refuse_reference(file, fmt::format("a result without the points themselves, which {}",
                                       options.self_query() ? "--include-self keeps" : "are neighbours with --query"));
  if (was_self && had_self && !has_self && k <= options.search.k)
    refuse_reference(
        file, fmt::format("a result with the points themselves, by --include-self (got k = {}, need {} for --k {})", k,
                          options.search.k + 1, options.search.k));
}

/// Whether the cells of a grid are those of this one. A result without a grid may have them as a file.
void check_grid(const Members& meta, const std::optional<QueryGrid>& grid, const std::string& file) {
  const Members other(meta.text("grid"));
  if (!grid || !other.has("step")) return;
  const auto shape = grid->shape();
  const std::vector<double> origin = grid->origin(), sizes(shape.begin(), shape.end());
  const double step = other.number<double>("step").value_or(0);
  if (step != grid->step || other.numbers("origin") != origin || other.numbers("shape") != sizes)
    refuse_reference(file, fmt::format("a result over another grid (got step {} from {}, need {} from {})", step,
                                       fmt::join(other.numbers("origin"), ","), grid->step, fmt::join(origin, ",")));
}

}  // namespace

void check_reference_meta(std::string_view text, const Options& options, const Report& report,
                          const std::string& file) {
  const Members meta(text);
  const auto k = meta.number<std::int64_t>("k");
  if (!meta.has("kann") || !k) return;
  check_cloud(meta, "data", *report.data, file);
  check_grid(meta, report.grid, file);
  check_cloud(meta, "query", *report.query, file);
  const bool leaves_out_self = options.self_query() && !options.search.include_self;
  if (*k < std::min(options.search.k, report.data->points - (leaves_out_self ? 1 : 0)))
    refuse_reference(file,
                     fmt::format("a result of fewer neighbours per query (got k = {}, need {})", *k, options.search.k));
  constexpr double none = std::numeric_limits<double>::infinity();
  const double radius = meta.number<double>("radius").value_or(none);
  if (radius < options.search.radius.value_or(none))
    refuse_reference(file, fmt::format("a result within --radius {}, and this search has {}", radius,
                                       options.search.radius ? fmt::format("{}", *options.search.radius) : "none"));
  if (const std::vector<double> box = meta.numbers("periodic"); box != options.search.periodic)
    refuse_reference(file, fmt::format("a result in another periodic box (got {}, need {})", box_text(box),
                                       box_text(options.search.periodic)));
  check_self(meta, options, *k, file);
}

}  // namespace kann::cli
