#include "cli/asked/query_limits.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string_view>
#include <variant>

#include "kann/attributes.hpp"
#include "kann/error.hpp"

#include "cli/asked/wanted_attributes.hpp"

namespace kann::cli {
namespace {

/// The numbers of an attribute. What a point that is not searched has does not matter.
std::vector<double> limits_in(const Options& options, const Cloud& queries, std::string_view option,
                              const std::string& name) {
  const std::string where = fmt::format("{}: {} '{}'", options.query.value_or(options.data), option, name);
  const Attribute& attribute = own_attribute(options, queries, name);
  if (attribute.texts) throw Error(ErrorKind::bad_input, where + " is text, and limits are numbers");
  const PointsView points = queries.points;
  std::vector<double> numbers(static_cast<std::size_t>(points.size()));
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i < numbers.size(); ++i) {
          if (!points.is_finite(static_cast<std::int64_t>(i))) continue;
          const bool is_missing = attribute.is_missing(values[i]);
          numbers[i] = is_missing ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(values[i]);
          if (!(numbers[i] >= 0))
            throw Error(ErrorKind::bad_input,
                        fmt::format("{} of point {} is {}, and limits are numbers of at least 0", where, i,
                                    is_missing ? "missing" : fmt::to_string(values[i])));
        }
      },
      attribute.values);
  return numbers;
}

}  // namespace

std::vector<std::string> names_of_limits(const Options& options) {
  std::vector<std::string> names;
  if (options.radius_name) names.push_back(*options.radius_name);
  if (const auto* const name = std::get_if<std::string>(&options.min_radius)) names.push_back(*name);
  return names;
}

QueryLimits limits_of(const Options& options, const Cloud& queries) {
  QueryLimits limits;
  if (options.radius_name) limits.radii = limits_in(options, queries, "--radius", *options.radius_name);
  if (const auto* const name = std::get_if<std::string>(&options.min_radius))
    limits.min_radii = limits_in(options, queries, "--min-radius", *name);
  if (const auto* const number = std::get_if<double>(&options.min_radius)) limits.min_radii = {*number};
  return limits;
}

}  // namespace kann::cli
