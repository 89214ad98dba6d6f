#include "cli/options/combinations.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "kann/error.hpp"

#include "base/usage_error.hpp"
#include "cli/options/output_path.hpp"
#include "cli/options/output_pattern.hpp"
#include "formats/las/laz.hpp"
#include "formats/neighbors/neighbor_file.hpp"
#include "problem/parameters.hpp"

namespace kann::cli {
namespace {

/// Refuses options that the jobs of a batch cannot share.
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
  const bool is_one_file = !o.output.empty() && !names_each_job(o.output);
  if (is_one_file)
    base::fail_usage("--output " + o.output +
                     " is one file for many results; give a folder (out/) or a pattern ({stem}.npz)");
}

std::string needs_format(const std::string& flag) {
  return flag + " - needs " + flag + "-format (" + std::string(k_point_formats) + ")";
}

/// Refuses an approximate method with options whose answer is exact.
void check_method(const Options& o) {
  const std::pair<const char*, bool> exact[] = {{"--k all", o.all_neighbors},
                                                {"--cluster", o.cluster.has_value()},
                                                {"--group", o.group && o.group_rule == GroupRule::same},
                                                {"--other-group", o.group && o.group_rule == GroupRule::other},
                                                {"--join", o.join.has_value()},
                                                {"--match", o.match.has_value()},
                                                {"--outliers", o.outliers.has_value()},
                                                {"--features", !o.features.empty()}};
  for (const auto& [flag, is_given] : exact)
    if (is_given) problem::check_is_exact(o.search.method, flag);
}

bool takes_rbf(const Options& o) {
  return std::ranges::count(o.transfer_by, TransferMethod::rbf, &TransferBy::method) > 0;
}

/// Refuses wrong combinations of options about pairs.
void check_joins(const Options& o) {
  const std::string flag = o.match ? "--match" : "--join";
  if (!o.join && !o.match) return;
  if (o.match == Match::mutual && (o.all_neighbors || o.search.k > 1))
    base::fail_usage("--match mutual is about the nearest neighbour of each point: give --k 1" +
                     std::string(o.outliers ? ", and no --outliers" : ""));
  if (o.half_pairs && o.join.value_or(Join::inner) != Join::inner)
    base::fail_usage(
        "--pairs half has a pair only in the row of its first point, and others would seem to be alone: give "
        "--join inner");
  const std::pair<const char*, bool> others[] = {{"--pairs half", o.half_pairs && o.match},
                                                 {"--output-per-rank", o.output_per_rank},
                                                 {"--outliers", o.is_one_to_one() && o.outliers}};
  for (const auto& [other, is_given] : others)
    if (is_given) base::fail_usage(flag + " does not go with " + other);
  if (o.join && !o.writes_result()) base::fail_usage("--join: no table or cloud is written; give --output");
  if (o.match && (o.verify || o.compare))
    base::fail_usage(flag + " does not go with --verify, --min-recall and --compare, which judge all neighbours");
}

/// Refuses options of searches for neighbours, which clusters do without.
void check_clusters(const Options& o) {
  if (!o.cluster) return;
  const std::pair<const char*, bool> others[] = {
      {"--query", !o.queries.empty()}, {"--jobs", o.jobs.has_value()}, {"--grid", o.grid.has_value()}};
  for (const auto& [flag, is_given] : others)
    if (is_given) base::fail_usage(std::string("--cluster is about the data alone; leave out ") + flag);
  const SearchOptions& s = o.search;
  const std::pair<const char*, bool> of_neighbors[] = {{"--k", o.k_is_given},
                                                       {"--radius", s.radius.has_value()},
                                                       {"--include-self", s.include_self},
                                                       {"--group and --other-group", o.group.has_value()},
                                                       {"--join", o.join.has_value()},
                                                       {"--match", o.match.has_value()},
                                                       {"--outliers", o.outliers.has_value()},
                                                       {"--transfer", !o.transfer.empty()},
                                                       {"--features", !o.features.empty()},
                                                       {"--stats", o.stats},
                                                       {"--verify, --min-recall and --compare", o.verify || o.compare},
                                                       {"--output-per-rank", o.output_per_rank}};
  for (const auto& [flag, is_given] : of_neighbors)
    if (is_given)
      base::fail_usage("--cluster labels points, and gives no neighbours; it does not go with " + std::string(flag));
  const std::string by = o.picture_by.value_or("cluster");
  if (by == "distance" || by == "mean_distance" || by == "density" || by == "outlier")
    base::fail_usage("--picture-by " + by + " is about neighbours, and --cluster gives none; leave it out");
  ClusterOptions clusters = *o.cluster;
  clusters.periodic = s.periodic;
  check_cluster_options(clusters);
}

/// Refuses wrong combinations of options about groups.
void check_groups(const Options& o) {
  if (!o.group) return;
  const std::string flag = o.group_rule == GroupRule::same ? "--group" : "--other-group";
  if (o.group_rule == GroupRule::other && !o.search.periodic.empty())
    base::fail_usage(flag + " does not go with --periodic");
  if (o.grid) base::fail_usage(flag + " does not go with --grid, whose cells have no attributes");
}

/// Refuses wrong combinations of options about the shape of neighbourhoods.
void check_features(const Options& o) {
  if (o.features.empty()) {
    if (o.orient) base::fail_usage("--orient needs --features normals");
    return;
  }
  if (o.orient && std::ranges::count(o.features, Feature::normals) == 0)
    base::fail_usage("--orient needs --features normals");
  if (!o.all_neighbors && o.search.k < 3)
    base::fail_usage("--features needs at least 3 neighbours: --k 8, or --k all --radius R");
  const std::pair<const char*, bool> others[] = {
      {"--sky", o.sky}, {"--pairs half", o.half_pairs}, {"--match one-to-one", o.is_one_to_one()}};
  for (const auto& [flag, is_given] : others)
    if (is_given) base::fail_usage(std::string("--features does not go with ") + flag);
  const std::vector<Attribute> columns = feature_columns(o.features);
  const bool is_drawn = o.picture && o.picture_by && std::ranges::count(columns, *o.picture_by, &Attribute::name) > 0;
  if (!o.writes_result() && !is_drawn)
    base::fail_usage("--features: no result is written, and no picture shows them; give --output, or --picture-by " +
                     columns.front().name);
}

/// Refuses wrong combinations of options about what is computed from the neighbours.
void check_answers(const Options& o) {
  if (o.outliers && o.outliers->k > o.search.k)
    base::fail_usage("--outliers " + std::to_string(o.outliers->k) + " needs as many neighbours: --k " +
                     std::to_string(o.outliers->k));
  if (o.drop_outliers && !o.outliers) base::fail_usage("--drop-outliers needs --outliers K,SIGMA");
  const bool is_rbf = takes_rbf(o);
  check_transfer_by(o.transfer_by, o.transfer);
  if (o.rbf && !is_rbf) base::fail_usage("--rbf needs --by rbf");
  for (std::size_t i = 0; i < o.transfer.size(); ++i)
    if (std::ranges::count(o.transfer, o.transfer[i]) > 1)
      base::fail_usage("--transfer names '" + o.transfer[i] + "' twice");
  if (is_rbf && (!o.search.periodic.empty() || o.sky))
    base::fail_usage(std::string("--by rbf does not go with ") + (o.sky ? "--sky" : "--periodic") + "; take idw");
  constexpr std::int64_t most = 64;
  if (is_rbf && o.search.k > most)
    base::fail_usage("--by rbf takes at most " + std::to_string(most) + " neighbours: --k 64");
  if (o.rbf) check_transfer_options({.method = TransferMethod::rbf, .rbf = *o.rbf});
  const bool is_drawn =
      o.draws() && o.picture_by && (*o.picture_by == "rgb" || std::ranges::count(o.transfer, *o.picture_by) > 0);
  if (!o.transfer.empty() && !o.writes_result() && !is_drawn)
    base::fail_usage("--transfer: no result is written, and no picture shows it; give --output, or --picture-by NAME");
  if (o.drop_outliers && !o.writes_result()) base::fail_usage("--drop-outliers needs --output: no result is written");
  if (!o.draws() && (o.view || o.picture_by || o.picture_size || o.color_scale || o.color_range))
    base::fail_usage(
        "--view, --picture-by, --picture-size, --color-scale and --color-range need --picture FILE.png or "
        "--html FILE.html");
  if (o.color_scale == ColorScale::log && o.color_range && o.color_range->first <= 0)
    base::fail_usage("--color-range expects positive numbers for --color-scale log");
}

/// Refuses options that rows of any length do not go with.
void check_all_neighbors(const Options& o) {
  if (!o.all_neighbors) {
    if (o.half_pairs) base::fail_usage("--pairs half needs --k all");
    return;
  }
  if (!o.search.radius) base::fail_usage("--k all needs --radius R");
  if (o.half_pairs && (!o.self_query() || !o.queries.empty() || o.jobs))
    base::fail_usage("--pairs half needs a search without --query, --grid and --jobs: others have no pairs");
  const std::pair<const char*, bool> others[] = {{"--outliers", o.outliers.has_value()},
                                                 {"--by rbf", takes_rbf(o)},
                                                 {"--compare", o.compare.has_value()},
                                                 {"--verify", o.verify},
                                                 {"--output-per-rank", o.output_per_rank}};
  for (const auto& [flag, is_given] : others)
    if (is_given)
      base::fail_usage(std::string(flag) + " takes rows of the same length; give --k N in the place of all");
}

}  // namespace

void check_combinations(const Options& o) {
  if (o.jobs && !o.queries.empty())
    base::fail_usage("--jobs and --query exclude each other: the list names the queries");
  if (o.data.empty() && !o.jobs)
    base::fail_usage("--data FILE is required, as in: kann --data pts.ply --query q.ply --k 8; see kann --help");
  if (o.data == "-" && o.query == "-")
    base::fail_usage("--data and --query cannot both be '-': there is one standard input");
  if (o.data == "-" && !o.data_format) base::fail_usage(needs_format("--data"));
  if (o.query == "-" && !o.query_format) base::fail_usage(needs_format("--query"));
  if (o.grid && !o.queries.empty())
    base::fail_usage("--grid and --query exclude each other: the cells of the grid are the queries");
  const bool has_query = (!o.queries.empty() || o.jobs) && !o.grid;
  if (o.query_format && !has_query) base::fail_usage("--query-format needs --query");
  if (!o.query_columns.empty() && !has_query) base::fail_usage("--query-columns needs --query");
  check_pattern(o.output);
  if (o.picture) check_pattern(*o.picture);
  if (o.is_batch()) check_batch(o);
  if (o.skip_existing && (o.verify || o.compare))
    base::fail_usage(
        "--skip-existing does not go with --verify, --min-recall or --compare: what is skipped would not be checked");
  if (o.skip_existing && !o.writes_result())
    base::fail_usage("--skip-existing needs --output with --stats or --picture: no result is written");
  if (o.output_per_rank && !o.writes_result())
    base::fail_usage("--output-per-rank needs --output with --stats or --picture: no result is written");
  if (o.quiet && o.verbose) base::fail_usage("--quiet and --verbose exclude each other");
  if (o.output == "-" && !o.output_format && !o.cloud_format)
    base::fail_usage(
        "--output - needs --output-format (npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, laz or "
        "cloud-csv)");
  if (o.output == "-" && o.json) base::fail_usage("--output - and --json exclude each other: both write to stdout");
  // Distances would be those of a plane in degrees
  if (o.unit && !o.sky && (o.unit == "deg" || o.unit->starts_with("arc")))
    base::fail_usage("--unit " + *o.unit + " is an angle and needs --sky");
  check_method(o);
  check_clusters(o);
  check_all_neighbors(o);
  check_joins(o);
  check_groups(o);
  check_answers(o);
  check_features(o);
  check_read_options({.columns = o.columns});
  check_read_options({.columns = o.query_columns, .columns_option = "--query-columns"});
  check_options(o.search);
}

void check_output(const Options& o) {
  if (o.cloud_format == CloudFormat::laz) formats::check_writes_laz(o.output);
  if (o.join && !o.cloud_format && !o.writes_table())
    base::fail_usage(o.output +
                     ": has a row for each query, whatever --join says; write .csv, .tsv, .ply, .las or "
                     "--output-format cloud-csv");
  if (o.writes_table() && !o.transfer.empty())
    base::fail_usage(o.output + ": a table of --join has all columns of the data; leave out --transfer");
  if (o.cluster && o.output_format && !formats::holds_labels(*o.output_format))
    base::fail_usage(o.output +
                     ": has no place for --cluster; write .npz, .csv, .tsv, .ply, .las or --output-format "
                     "cloud-csv");
  if (o.writes_table() && !o.features.empty())
    base::fail_usage(o.output +
                     ": a table of --join has the columns of both clouds alone; --features go to .npz, .ply, "
                     ".las or --output-format cloud-csv");
  const bool has_lists = o.all_neighbors && !o.is_one_to_one();
  if (has_lists && !o.cloud_format && !formats::holds_lists(*o.output_format))
    base::fail_usage(o.output +
                     ": has no place for rows of any length (--k all); write .npz, .csv, .tsv, .mtx or a cloud "
                     "(.ply, .las)");
  if (!has_lists && o.output_format == NeighborFormat::mtx)
    base::fail_usage(o.output + (o.all_neighbors
                                     ? ": a matrix has rows of any length, and --match one-to-one has not; write .npz"
                                     : ": a matrix has rows of any length; give --k all --radius R"));
  const bool has_arrays = o.cloud_format || o.output_format == NeighborFormat::npz;
  const auto check = [&](bool is_asked_for, const std::string& flag) {
    if (is_asked_for && !has_arrays)
      base::fail_usage(o.output + ": has no place for " + flag +
                       "; write .npz, .ply, .las or --output-format cloud-csv");
  };
  check(o.outliers.has_value(), "--outliers");
  check(!o.transfer.empty(), "--transfer");
  check(!o.features.empty(), "--features");
  if (o.drop_outliers && !o.cloud_format)
    base::fail_usage(o.output +
                     ": --drop-outliers leaves points out of a cloud; write .ply, .las or --output-format cloud-csv");
}

}  // namespace kann::cli
