#include "cli/job/reference_meta.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <vector>

#include "kann/error.hpp"

#include "base/counted.hpp"
#include "cli/asked/wanted_attributes.hpp"
#include "cli/facts/read_json.hpp"

namespace kann::cli {
namespace {

using Numbers = std::vector<double>;

std::string box_text(const std::vector<double>& sides) {
  return sides.empty() ? "none" : fmt::format("{}", fmt::join(sides, ","));
}

[[noreturn]] void refuse_reference(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, file + ": " + what);
}

void check_cloud(const ReadFacts& meta, const std::string& cloud, const CloudFacts& facts, const Condition& where,
                 const std::string& file) {
  const std::string_view noun = cloud == "data" ? "data" : "queries";
  const auto dimensions = meta.get<std::int64_t>(cloud + ".dimensions");
  if (dimensions && *dimensions != facts.dimensions)
    refuse_reference(file, fmt::format("the result of a search in {}-D (need {}-D)", *dimensions, facts.dimensions));
  const std::int64_t points = facts.points;
  const auto got = meta.get<std::int64_t>(cloud + ".points");
  if (got && *got != points)
    refuse_reference(file, fmt::format("the result of a search with other {} (of {}; these are {})", noun,
                                       base::counted(*got, "point"), points));
  const auto hash = meta.get<std::string>(cloud + ".hash");
  if (!facts.hash || !hash || *hash == fmt::format("{:016x}", *facts.hash)) return;
  const std::string condition = meta.get<std::string>(cloud + ".where.condition").value_or("none");
  const std::string needed = where ? where.text : "none";
  refuse_reference(file,
                   condition == needed
                       ? fmt::format("the result of a search with other {}: as many points, with other "
                                     "coordinates or in another order",
                                     noun)
                       : fmt::format("a result for other {} (the condition was {}, need {})", noun, condition, needed));
}

/// Warns if the file has another name and nothing shows that the coordinates are the same.
void compare_names(const ReadFacts& meta, const std::string& cloud, const CloudFacts& facts, const std::string& file,
                   std::vector<std::string>& warnings) {
  const auto name_of = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  const std::string was = name_of(meta.get<std::string>(cloud + ".path").value_or("")), is = name_of(facts.path);
  if (meta.values.contains(cloud + ".hash") || was.empty() || was == is || was == "-" || is == "-") return;
  warnings.push_back(
      fmt::format("{}: the result of a search with the {} {}, not {}; nothing says that they are the same", file,
                  cloud == "data" ? "data" : "queries", was, is));
}

/// Refuses a reference that does not match this search in whether points are in their own rows.
void check_self(const ReadFacts& meta, const Options& options, std::int64_t k, const std::string& file) {
  const bool was_self = meta.get<bool>("self_query").value_or(false),
             had_self = meta.get<bool>("include_self").value_or(false);
  const bool has_self = !options.self_query() || options.search.include_self;
  if (was_self && !had_self && has_self)
    refuse_reference(file, fmt::format("a result without the points themselves, which {}",
                                       options.self_query() ? "--include-self keeps" : "are neighbours with --query"));
  if (was_self && had_self && !has_self && k <= options.search.k)
    refuse_reference(
        file, fmt::format("a result with the points themselves, by --include-self (got k = {}, need {} for --k {})", k,
                          options.search.k + 1, options.search.k));
}

/// The largest number of neighbours that a query of this search can have.
std::int64_t most_neighbors(const Options& options, const Report& report) {
  const bool leaves_out_self = options.self_query() && !options.search.include_self;
  return report.data->points - (leaves_out_self ? 1 : 0);
}

/// Whether the result has as many neighbours as this one and, in addition, the points themselves, which this one leaves
/// out.
bool is_longer_by_own(const ReadFacts& meta, const Options& options, std::int64_t k) {
  return options.self_query() && !options.search.include_self && meta.get<bool>("self_query").value_or(false) &&
         meta.get<bool>("include_self").value_or(false) && k == options.search.k + 1;
}

/// Whether the format is one in which ground truths of benchmarks come.
bool is_ground_truth(const std::string& file) {
  std::string extension = std::filesystem::path(file).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension == ".bin" || extension == ".ibin" || extension == ".ivecs";
}

/// Refuses a result over another grid. A result without a grid is accepted, as its queries may be a file with the
/// cells.
void check_grid(const ReadFacts& meta, const std::optional<QueryGrid>& grid, const std::string& file) {
  const auto step = meta.get<double>("grid.step");
  if (!grid || !step) return;
  const auto shape = grid->shape();
  const Numbers origin = grid->origin(), sizes(shape.begin(), shape.end());
  const Numbers was = meta.get<Numbers>("grid.origin").value_or(Numbers());
  if (*step != grid->step || was != origin || meta.get<Numbers>("grid.shape") != sizes)
    refuse_reference(file, fmt::format("a result over another grid (got step {} from {}, need {} from {})", *step,
                                       fmt::join(was, ","), grid->step, fmt::join(origin, ",")));
}

}  // namespace

ReferenceClaims check_reference_meta(std::string_view meta_json, const Options& options, const Report& report,
                                     const std::string& file) {
  const ReadFacts meta = read_json(meta_json).value_or(ReadFacts());
  if (meta.values.contains("match")) refuse_reference(file, "has the pairs of --match, not all neighbours");
  if (meta.values.contains("limits.radius"))
    refuse_reference(file, "was made with --radius NAME or --min-radius, whose rows are not judged");
  const auto k = meta.get<std::int64_t>("k");
  if (!meta.values.contains("kann.version") || !k) return {.is_exact = is_ground_truth(file), .tolerance = 1e-4};
  check_cloud(meta, "data", *report.data, options.where, file);
  check_grid(meta, report.grid, file);
  check_cloud(meta, "query", *report.query, condition_of_queries(options), file);
  const auto radius = meta.get<double>("radius");
  const auto text_of = [](const std::optional<double>& r) { return r ? fmt::format("{}", *r) : "none"; };
  if (radius != options.search.radius)
    refuse_reference(file, fmt::format("a result with another --radius (got {}, need {})", text_of(radius),
                                       text_of(options.search.radius)));
  if (const Numbers box = meta.get<Numbers>("periodic").value_or(Numbers()); box != options.search.periodic)
    refuse_reference(file, fmt::format("a result in another periodic box (got {}, need {})", box_text(box),
                                       box_text(options.search.periodic)));
  const std::string images = options.search.images == Images::all ? "all" : "nearest";
  if (const std::string were = meta.get<std::string>("images").value_or("nearest"); were != images)
    refuse_reference(file, fmt::format("a result with other --images (got {}, need {})", were, images));
  const std::string sky(options.search.sky ? name_of(*options.search.sky) : "");
  if (const std::string was = meta.get<std::string>("sky").value_or(""); was != sky)
    refuse_reference(file, fmt::format("a result with other distances (got {}, need {})",
                                       was.empty() ? "those of a plane" : was, sky.empty() ? "those of a plane" : sky));
  for (const auto& [key, option, is] :
       {std::tuple("group", "--group", options.group), {"other_group", "--other-group", options.other_group}})
    if (const auto was = meta.get<std::string>(key); was != is)
      refuse_reference(file, fmt::format("a result with another {} (got {}, need {})", option, was.value_or("none"),
                                         is.value_or("none")));
  check_self(meta, options, *k, file);
  const std::int64_t available = most_neighbors(options, report);
  if (std::min(*k, available) != std::min(options.search.k, available) && !is_longer_by_own(meta, options, *k))
    refuse_reference(file, fmt::format("a result with another --k (got {}, need {})", *k, options.search.k));
  ReferenceClaims claims{.is_exact = meta.get<std::string>("method") == "exact"};
  compare_names(meta, "data", *report.data, file, claims.warnings);
  if (!options.self_query()) compare_names(meta, "query", *report.query, file, claims.warnings);
  return claims;
}

void check_reference_size(std::int64_t k, const Options& options, const Report& report, const std::string& file) {
  const std::int64_t need = std::min(options.search.k, most_neighbors(options, report));
  if (k < need && report.query->points > 0)
    refuse_reference(file, fmt::format("has {} per query (need {}; --k {} searches for as many)",
                                       base::counted(k, "neighbour"), need, k));
}

}  // namespace kann::cli
