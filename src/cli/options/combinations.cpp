// The tables say which options exclude each other, and which need others. What depends on values is below them.
#include "cli/options/combinations.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/usage_error.hpp"
#include "cli/options/output_path.hpp"
#include "cli/options/output_pattern.hpp"
#include "formats/las/laz.hpp"
#include "formats/neighbors/neighbor_file.hpp"
#include "formats/table/axes.hpp"
#include "problem/parameters.hpp"

namespace kann::cli {
namespace {

using Is = bool (*)(const Options&);

/// An option, or one of its values, and whether it is given.
struct Flag {
  std::string_view name;
  Is is_given;
};

/// Whether a member is true or has a value, or a function of no arguments says so.
template <auto Member>
bool has(const Options& o) {
  const auto& value = std::invoke(Member, o);
  if constexpr (requires { value.empty(); })
    return !value.empty();
  else
    return static_cast<bool>(value);
}

bool has_lists(const Options& o) { return o.all_neighbors && !o.is_one_to_one(); }
bool has_columns(const Options& o) { return o.cloud_format || o.writes_lines(); }
bool has_arrays(const Options& o) { return has_columns(o) || o.output_format == NeighborFormat::npz; }
bool has_float64(const Options& o) {
  return o.writes_lines() || o.output_format == NeighborFormat::npz || o.output_format == NeighborFormat::npy;
}
bool has_query(const Options& o) { return (!o.queries.empty() || o.jobs) && !o.grid; }
bool has_normals(const Options& o) { return std::ranges::count(o.features, "normals") > 0; }
bool has_factors(const Options& o) { return std::ranges::count(o.features, "lof") > 0; }
bool takes_rbf(const Options& o) {
  return std::ranges::count(o.transfer_by, TransferMethod::rbf, &TransferBy::method) > 0;
}

constexpr Flag k_query{"--query", has<&Options::queries>};
constexpr Flag k_jobs{"--jobs", has<&Options::jobs>};
constexpr Flag k_grid{"--grid", has<&Options::grid>};
constexpr Flag k_k{"--k", has<&Options::k_is_given>};
constexpr Flag k_all{"--k all", has<&Options::all_neighbors>};
constexpr Flag k_half{"--pairs half", has<&Options::half_pairs>};
constexpr Flag k_radius{"--radius", [](const Options& o) { return o.has_radius(); }};
constexpr Flag k_radius_name{"--radius NAME", has<&Options::radius_name>};
constexpr Flag k_min_radius_name{"--min-radius NAME",
                                 [](const Options& o) { return std::holds_alternative<std::string>(o.min_radius); }};
constexpr Flag k_min_radius{"--min-radius", [](const Options& o) { return o.min_radius.index() > 0; }};
constexpr Flag k_sky{"--sky", has<&Options::sky>};
constexpr Flag k_periodic{"--periodic", [](const Options& o) { return !o.search.periodic.empty(); }};
constexpr Flag k_images{"--images all", [](const Options& o) { return o.search.images == Images::all; }};
constexpr Flag k_float64{"--distances float64", has<&Options::float64_distances>};
constexpr Flag k_self{"--include-self", [](const Options& o) { return o.search.include_self; }};
constexpr Flag k_group{"--group", has<&Options::group>};
constexpr Flag k_other_group{"--other-group", has<&Options::other_group>};
constexpr Flag k_cluster{"--cluster", has<&Options::cluster>};
constexpr Flag k_outliers{"--outliers", has<&Options::outliers>};
constexpr Flag k_keep{"--keep", has<&Options::keep>};
constexpr Flag k_attributes{"--attributes", has<&Options::attributes>};
constexpr Flag k_join{"--join", has<&Options::join>};
constexpr Flag k_outer_join{"--join left and anti", [](const Options& o) { return o.join && *o.join != Join::inner; }};
constexpr Flag k_match{"--match", has<&Options::match>};
constexpr Flag k_transfer{"--transfer", has<&Options::transfer>};
constexpr Flag k_by_rbf{"--by rbf", takes_rbf};
constexpr Flag k_features{"--features", has<&Options::features>};
constexpr Flag k_shapes{"--features", [](const Options& o) { return !shapes_of(o).empty(); }};
constexpr Flag k_lof{"--features lof", has_factors};
constexpr Flag k_verify{"--verify and --min-recall", has<&Options::verify>};
constexpr Flag k_compare{"--compare", has<&Options::compare>};
constexpr Flag k_stats{"--stats", has<&Options::stats>};
constexpr Flag k_json{"--json", has<&Options::json>};
constexpr Flag k_quiet{"--quiet", has<&Options::quiet>};
constexpr Flag k_verbose{"--verbose", has<&Options::verbose>};
constexpr Flag k_stdout{"--output -", [](const Options& o) { return o.output == "-"; }};
constexpr Flag k_skip{"--skip-existing", has<&Options::skip_existing>};
constexpr Flag k_per_rank{"--output-per-rank", has<&Options::output_per_rank>};

/// An option does not go with any of the others.
struct Exclusion {
  Flag flag;
  std::initializer_list<Flag> others;
  std::string_view reason;
};

constexpr Exclusion k_exclusions[] = {
    {k_jobs, {k_query}, "the list names the queries"},
    {k_grid, {k_query}, "the cells of the grid are the queries"},
    {k_grid, {k_group, k_other_group, k_radius_name, k_min_radius_name}, "its cells have no attributes"},
    {k_quiet, {k_verbose}, "one prints less, the other more"},
    {k_stdout, {k_json}, "both write to stdout"},
    {k_cluster, {k_query, k_jobs, k_grid}, "clusters are those of the data alone (R,MIN is one word: 0.5,10)"},
    {k_cluster,
     {k_k, k_radius, k_min_radius, k_self, k_group, k_other_group, k_join, k_match, k_outliers, k_transfer, k_features,
      k_stats, k_verify, k_compare, k_per_rank},
     "it labels points, and gives no neighbours"},
    {k_all, {k_outliers, k_by_rbf, k_verify, k_compare, k_per_rank}, "all rows must have the same length; give --k N"},
    {k_half, {k_query, k_jobs, k_grid}, "only a search of the data among themselves has such pairs"},
    {k_radius_name, {k_half, k_match, k_verify, k_compare, k_per_rank}, "each query has a radius of its own"},
    {k_min_radius, {k_match, k_verify, k_compare, k_per_rank}, "they look at all neighbours from the nearest on"},
    {k_half, {k_match}, "pairs are chosen among the rows of both points"},
    {k_half, {k_shapes}, "a neighbourhood has all neighbours of a point"},
    {k_half,
     {k_outer_join},
     "a pair is only in the row of its first point, and others would seem to be alone; give --join inner"},
    {k_match, {k_verify, k_compare}, "all neighbours are judged"},
    {k_images, {k_match, k_cluster}, "a point counts once there"},
    {k_images, {k_per_rank}, "shifts are found by one rank"},
    {k_float64, {k_per_rank}, "these distances are found by one rank"},
    {k_float64, {k_cluster}, "labels have no distances"},
    {k_per_rank, {k_join, k_match, k_keep, k_attributes}, "pairs are written by one rank"},
    {k_match, {k_outliers, k_features}, "its rows have one neighbour"},
    {k_lof,
     {k_query, k_jobs, k_grid, k_all, k_radius, k_min_radius},
     "it compares points with their own k nearest neighbours"},
    {k_shapes, {k_sky}, "shapes are those in a plane or in space"},
    {k_by_rbf, {k_sky, k_periodic}, "its distances are straight; take --by idw"},
};

/// Options whose answer is exact.
constexpr Flag k_exact[] = {k_all,         k_radius_name, k_min_radius, k_cluster,  k_group,
                            k_other_group, k_join,        k_match,      k_outliers, k_features};

/// An option needs what is there if `is_met`.
struct Need {
  Flag flag;
  Is is_met;
  std::string_view what;
};

/// Options that are about a result that is written.
constexpr Flag k_of_result[] = {k_skip, k_per_rank, k_keep, k_float64, k_attributes, k_join};

constexpr std::string_view k_picture = "--picture FILE.png or --html FILE.html";

constexpr Need k_needs[] = {
    {{"--query-format", has<&Options::query_format>}, has_query, "--query"},
    {{"--query-columns", has<&Options::query_columns>}, has_query, "--query"},
    {{"--query-where", has<&Options::query_where>}, has_query, "--query, which may be the file of the data again"},
    {k_half, has<&Options::all_neighbors>, "--k all"},
    {k_all, k_radius.is_given, "--radius R"},
    {{"--orient", has<&Options::orient>}, has_normals, "--features normals"},
    {{"--rbf", has<&Options::rbf>}, takes_rbf, "--by rbf"},
    {{"--join anti", [](const Options& o) { return o.join == Join::anti; }},
     [](const Options& o) { return o.has_radius() || o.match || o.has_groups() || o.has_limits(); },
     "--radius R: without it, every query has a pair"},
    {{"--title", has<&Options::title>}, has<&Options::html>, "--html FILE.html"},
    {{"--view", has<&Options::view>}, has<&Options::draws>, k_picture},
    {{"--picture-by", has<&Options::picture_by>}, has<&Options::draws>, k_picture},
    {{"--picture-size", has<&Options::picture_size>}, has<&Options::draws>, k_picture},
    {{"--color-scale", has<&Options::color_scale>}, has<&Options::draws>, k_picture},
    {{"--color-range", has<&Options::color_range>}, has<&Options::draws>, k_picture},
};

constexpr std::string_view k_columns = ".csv, .tsv, .ply, .las or --output-format cloud-csv",
                           k_arrays = ".npz, .csv, .tsv, .ply, .las or --output-format cloud-csv",
                           k_lists = ".npz, .csv, .tsv, .mtx or a cloud (.ply, .las)";

/// The formats that have a place for an option.
constexpr Need k_places[] = {
    {k_join, has<&Options::writes_join>, ".csv or .tsv, or choose points of a cloud by --keep 'neighbours > 0'"},
    {k_cluster, has_arrays, k_arrays},
    {{"rows of any length (--k all)", has_lists},
     [](const Options& o) { return o.cloud_format || formats::holds_lists(*o.output_format); },
     k_lists},
    {k_float64, has_float64, ".npz, .npy, .csv or .tsv"},
    {k_outliers, has_arrays, k_arrays},
    {k_transfer, has_arrays, k_arrays},
    {k_features, has_arrays, k_arrays},
    {k_keep, has_columns, k_columns},
    {k_attributes, has_columns, k_columns},
};

void check_tables(const Options& o) {
  for (const auto& [flag, others, reason] : k_exclusions)
    for (const Flag& other : others)
      if (flag.is_given(o) && other.is_given(o))
        base::fail_usage(fmt::format("{} does not go with {}: {}", flag.name, other.name, reason));
  for (const Flag& flag : k_exact)
    if (flag.is_given(o)) problem::check_is_exact(o.search.method, flag.name);
  for (const auto& [flag, is_met, what] : k_needs)
    if (flag.is_given(o) && !is_met(o)) base::fail_usage(fmt::format("{} needs {}", flag.name, what));
}

/// Refuses paths that the jobs of a batch cannot share.
void check_batch(const Options& o) {
  if (o.jobs == "-" && is_stdin(o.data))
    base::fail_usage("--data " + o.data + ": the list of jobs is read from standard input; give a file");
  if (o.data == "-" || std::ranges::count(o.queries, "-") > 0)
    base::fail_usage("a batch reads no cloud from standard input; give files");
  if (o.output == "-") base::fail_usage("a batch writes no result to standard output; give a folder or a pattern");
  if (o.compare) check_pattern(*o.compare);
  if (o.compare && !has_placeholder(*o.compare))
    base::fail_usage("--compare " + *o.compare + " is one file for many results; give a pattern ({stem}.npz)");
  if (o.picture && !has_placeholder(*o.picture))
    base::fail_usage("--picture " + *o.picture + " is one file for many pictures; give a pattern ({stem}.png)");
  for (const auto& [flag, file] : {std::pair("--html", &o.html), std::pair("--report", &o.report)})
    if (*file && has_placeholder(**file))
      base::fail_usage(fmt::format("{} {} is about the whole batch: one file, without a pattern", flag, **file));
  const bool is_one_file = !o.output.empty() && !names_each_job(o.output);
  if (is_one_file)
    base::fail_usage("--output " + o.output +
                     " is one file for many results; give a folder (out/) or a pattern ({stem}.npz)");
}

void check_streams(const Options& o) {
  if (o.data == "-" && o.query == "-")
    base::fail_usage("--data and --query cannot both be '-': there is one standard input");
  const auto needs_format = [](std::string_view flag, std::string_view formats) {
    base::fail_usage(fmt::format("{0} - needs {0}-format ({1})", flag, formats));
  };
  if (o.data == "-" && !o.data_format) needs_format("--data", k_point_formats);
  if (o.query == "-" && !o.query_format) needs_format("--query", k_point_formats);
  if (o.output == "-" && !o.output_format && !o.cloud_format)
    needs_format("--output", "npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or cloud-csv");
}

/// Refuses groups that no neighbour can be of.
void check_groups(const Options& o) {
  if (o.group && o.group == o.other_group)
    base::fail_usage(fmt::format("--other-group {0}: no point has the same '{0}', as --group asks, and another one",
                                 *o.other_group));
}

/// Refuses numbers of neighbours that are too small or too large for what is made of them.
void check_k(const Options& o) {
  if (o.match == Match::mutual && (o.all_neighbors || o.search.k > 1))
    base::fail_usage("--match mutual is about the nearest neighbour of each point: give --k 1");
  if (o.outliers && o.outliers->k > o.search.k)
    base::fail_usage(fmt::format("--outliers {0} needs as many neighbours: --k {0}", o.outliers->k));
  constexpr std::int64_t most = 64;
  if (takes_rbf(o) && o.search.k > most)
    base::fail_usage(fmt::format("--by rbf takes at most {0} neighbours: --k {0}", most));
  if (!shapes_of(o).empty() && !o.all_neighbors && o.search.k < 3)
    base::fail_usage("--features needs at least 3 neighbours: --k 8, or --k all --radius R");
}

/// Refuses names of attributes that nothing has or shows.
void check_names(const Options& o) {
  check_transfer_by(o.transfer_by, o.transfer);
  for (const std::string& name : o.transfer)
    if (std::ranges::count(o.transfer, name) > 1) base::fail_usage("--transfer names '" + name + "' twice");
  const std::string by = o.picture_by.value_or("");
  if (o.cluster && (by == "distance" || by == "outlier" || std::ranges::count(k_row_features, by) > 0))
    base::fail_usage("--picture-by " + by + " is about neighbours, and --cluster gives none; leave it out");
  if (o.has_one_neighbor() && (by == "mean_distance" || by == "density"))
    base::fail_usage("--picture-by " + by +
                     " of one neighbour says what nn_distance says; give --picture-by distance, or --k 2 or more");
}

/// Refuses values that the library refuses, too, or that others do not allow.
void check_values(const Options& o) {
  // Distances would be those of a plane in degrees
  if (o.unit && !o.sky && (o.unit == "deg" || o.unit->starts_with("arc")))
    base::fail_usage("--unit " + *o.unit + " is an angle and needs --sky");
  if (o.color_scale == ColorScale::log && o.color_range && o.color_range->first <= 0)
    base::fail_usage("--color-range expects positive numbers for --color-scale log");
  if (o.rbf) check_transfer_options({.method = TransferMethod::rbf, .rbf = *o.rbf});
  if (o.cluster) {
    ClusterOptions clusters = *o.cluster;
    clusters.periodic = o.search.periodic;
    check_cluster_options(clusters);
  }
  formats::check_columns(o.columns);
  formats::check_columns(o.query_columns, "--query-columns");
  check_options(o.search);
}

}  // namespace

void check_combinations(const Options& o) {
  if (o.data.empty() && !o.jobs)
    base::fail_usage("--data FILE is required, as in: kann pts.ply q.ply -k 8; see kann --help");
  check_streams(o);
  check_pattern(o.output);
  if (o.picture) check_pattern(*o.picture);
  if (o.is_batch()) check_batch(o);
  check_tables(o);
  check_groups(o);
  check_k(o);
  check_names(o);
  check_values(o);
  if (!o.jobs) check_is_written(o);
}

void check_is_written(const Options& o) {
  if (o.writes_result()) return;
  for (const Flag& flag : k_of_result)
    if (flag.is_given(o))
      base::fail_usage(fmt::format("{} needs --output with --stats or --picture: no result is written", flag.name));
  const std::string by = o.picture_by.value_or("");
  const bool shows_transfer = o.draws() && (by == "rgb" || std::ranges::count(o.transfer, by) > 0);
  if (!o.transfer.empty() && !shows_transfer)
    base::fail_usage("--transfer: no result is written, and no picture shows it; give --output, or --picture-by NAME");
  const std::vector<std::string> columns = feature_column_names(o);
  const bool shows_features = o.picture && std::ranges::count(columns, by) > 0;
  if (!o.features.empty() && !shows_features)
    base::fail_usage("--features: no result is written, and no picture shows them; give --output, or --picture-by " +
                     columns.front());
}

void check_output(const Options& o) {
  if (o.skip_existing && o.has_checks()) {  // what exists is judged as it is stored
    if (o.picture)
      base::fail_usage("--skip-existing with checks does not go with --picture: a result is then not searched again");
    if (o.output_format != NeighborFormat::npz && o.output_format != NeighborFormat::bin)
      base::fail_usage(o.output + ": --skip-existing with checks judges stored rows; write .npz or .bin");
  }
  if (o.cloud_format == CloudFormat::laz) formats::check_writes_laz(o.output);
  if (o.writes_join() && !o.transfer.empty())
    base::fail_usage(o.output + ": a table of --join has all columns of the data; leave out --transfer");
  for (const auto& [flag, has_place, formats] : k_places)
    if (flag.is_given(o) && !has_place(o))
      base::fail_usage(fmt::format("{}: has no place for {}; write {}", o.output, flag.name, formats));
  if (o.search.images == Images::all && o.output_format == NeighborFormat::mtx)
    base::fail_usage("--images all: a matrix has one entry for all images of a point; write .npz or .csv");
  if (!has_lists(o) && o.output_format == NeighborFormat::mtx)
    base::fail_usage(o.output + (o.all_neighbors
                                     ? ": a matrix has rows of any length, and --match one-to-one has not; write .npz"
                                     : ": a matrix has rows of any length; give --k all --radius R"));
}

}  // namespace kann::cli
