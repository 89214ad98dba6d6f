// The command line and the environment variables, as one plain struct.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kann/cloud_file.hpp"
#include "kann/clusters.hpp"
#include "kann/condition.hpp"
#include "kann/features.hpp"
#include "kann/groups.hpp"
#include "kann/io.hpp"
#include "kann/outliers.hpp"
#include "kann/render.hpp"
#include "kann/search.hpp"
#include "kann/transfer.hpp"

#include "cli/options/attribute_choice.hpp"
#include "cli/options/transfer_by.hpp"

namespace kann::cli {

enum class Action {
  search,
  show_short_help,
  show_help,
  show_whole_help,
  show_version,
  info,
  show_info_help,
  check,
  show_check_help,
  print_man_page,
  print_bash_completion,
  print_zsh_completion,
  print_fish_completion,
  print_options_page
};
enum class When { automatic, always, never };

/// Which queries a table or a cloud has: those with a pair, all of them, or those without one.
enum class Join { inner, left, anti };

/// Which pairs count: those of which each is the nearest of the other, or as many as leave each point in one at most.
enum class Match { mutual, one_to_one };

struct PictureSize {
  int width = 1600, height = 1200;  ///< pixels
};

struct Options {
  Action action = Action::search;
  std::optional<std::string> config;  ///< the file for what command line and variables leave open
  std::string command;                ///< the command line, as a shell reads it
  std::vector<std::string>
      reading;  ///< the options that say how the clouds are read, as they were given: "--header=no"

  std::vector<std::string> files;  ///< of Action::info and check; "-" is standard input

  std::string data;                  ///< "-" is standard input
  std::optional<std::string> query;  ///< none: the data are the queries, unless there is a grid
  std::optional<double> grid;        ///< the step of a grid over the data, whose cells' centres are the queries
  std::vector<std::string> queries;  ///< the files of --query; more than one make a batch
  std::optional<std::string> jobs;   ///< a file with the jobs of a batch; "-" is standard input
  std::optional<PointFormat> data_format, query_format;
  std::vector<std::string> columns;        ///< ReadOptions::columns, for both clouds
  std::vector<std::string> query_columns;  ///< the same for the queries alone, if given
  std::optional<bool> header;              ///< ReadOptions::header, for both clouds
  bool quotes = true;                      ///< ReadOptions::quotes, for both clouds

  std::string output;  ///< "-" is standard output; after choose_output() a file, if a result is wanted
  std::optional<NeighborFormat> output_format;  ///< after choose_output(), this or the next is set
  std::optional<CloudFormat> cloud_format;      ///< the result is the cloud of the queries, with what was found
  std::string output_extension = "npz";         ///< extension of the default output
  bool stats = false;                           ///< the statistics as a table
  std::optional<OutlierOptions> outliers;
  Condition where, query_where;                   ///< what the points of the data, and of the queries, meet
  Condition keep;                                 ///< what the queries that are written meet
  std::vector<AttributeChoice> attributes;        ///< which columns are written
  std::optional<std::string> group, other_group;  ///< attributes that neighbours have in common, and do not
  std::optional<std::string> radius_name;  ///< --radius NAME: an attribute of the queries, instead of search.radius
  std::variant<std::monostate, double, std::string> min_radius;  ///< a number, or an attribute of the queries
  std::optional<ClusterOptions> cluster;    ///< radius and min_points: clusters in the place of neighbours
  std::optional<Join> join;                 ///< with text as the format: the result is a table of pairs
  std::optional<Match> match;               ///< none: a pair with each neighbour
  std::vector<std::string> transfer;        ///< names of attributes of the data
  std::vector<TransferBy> transfer_by;      ///< their methods, see asked_method(); empty: nearest
  std::optional<RbfOptions> rbf;            ///< none: not given
  std::vector<std::string> features;        ///< words of k_feature_words
  std::optional<NormalOrientation> orient;  ///< of their normals; none: upwards
  std::optional<std::string> picture;       ///< a PNG picture of the queries, and how it is drawn
  std::optional<View> view;
  std::optional<std::string> picture_by;
  std::optional<PictureSize> picture_size;
  std::optional<ColorScale> color_scale;
  std::optional<std::pair<double, double>> color_range;
  bool makes_folder = false;  ///< whether the folder of the output is made where it is missing
  bool force = false, skip_existing = false, fail_fast = false;
  bool plan = false;  ///< what would be done is printed, and nothing is done
  bool json = false;
  std::optional<std::string> report, html;  ///< files that tell of the run, for programs and for people
  std::optional<std::string> title;         ///< heading of the page
  bool has_page = false;                    ///< --html shows this run; that of a batch has a row for each job

  std::optional<double> max_memory;  ///< bytes per rank
  std::optional<std::string> temp_folder;
  bool output_per_rank = false;

  bool sky = false;                 ///< the coordinates are angles
  std::optional<std::string> unit;  ///< of distances: an AngleUnit on the sky, elsewhere a label; none: not given
  SearchOptions search;
  bool device_has_number = false;  ///< if not, the ranks of a host share its CUDA devices
  bool k_is_given = false;         ///< if not, other options may raise k
  bool all_neighbors = false;      ///< --k all: rows of any length, of all neighbours within the radius
  bool half_pairs = false;         ///< with all_neighbors: a pair is only in the row of the smaller number
  bool float64_distances = false;  ///< in the result; searches and products have float32

  bool rows_are_stored = false;  ///< an earlier result is judged: nothing excuses a row that is faulty
  bool verify = false;
  std::int64_t verify_sample = 0;      ///< 0: all queries
  std::optional<double> min_recall;    ///< sets `verify`, unless --compare is given
  std::optional<std::string> compare;  ///< an earlier result or a ground truth

  bool quiet = false, verbose = false;
  When progress = When::automatic, color = When::automatic;

  bool is_batch_job = false;  ///< whether these are the options of one job, or common to all jobs, of a batch

  /// The ball of densities among `dimensions` coordinates.
  DensityBall density_ball(int dimensions) const {
    return {dimensions, search.sky, all_neighbors && !is_one_to_one() ? search.radius : std::nullopt};
  }

  bool has_groups() const { return group || other_group; }
  bool has_radius() const { return search.radius || radius_name; }
  bool has_limits() const { return radius_name || min_radius.index() > 0; }

  /// Whether the neighbours are written: not if only --stats or --picture is asked for.
  bool writes_result() const { return !(stats || picture) || !output.empty() || output_format || cloud_format; }

  /// Whether of all neighbours within the radius only the number is wanted.
  bool counts_only() const { return all_neighbors && !is_one_to_one() && stats && !picture && !writes_result(); }

  /// Whether a row has one neighbour, whatever is searched.
  bool is_one_to_one() const { return match == Match::one_to_one; }

  /// Whether rows have one neighbour, of which a mean distance and a density say what its distance says.
  bool has_one_neighbor() const { return is_one_to_one() || (!all_neighbors && search.k == 1); }

  /// Whether the result is text with a line per neighbour, or per label; after choose_output().
  bool writes_lines() const { return output_format == NeighborFormat::csv || output_format == NeighborFormat::tsv; }

  /// Whether these lines have columns that are computed or chosen, and those of both clouds.
  bool writes_table() const {
    return writes_lines() && (join || cluster || outliers || keep || !transfer.empty() || !features.empty() ||
                              !attributes.empty() || search.images == Images::all || float64_distances);
  }

  /// Whether the result says which image of its point each neighbour is.
  bool writes_shifts() const {
    return search.images == Images::all && join != Join::anti &&
           (output_format == NeighborFormat::npz || writes_lines());
  }
  /// Whether the result has what neighbor_vectors() finds.
  bool writes_vectors() const { return writes_shifts() || float64_distances; }
  bool writes_join() const { return join && writes_lines(); }

  /// Whether a picture is drawn, for a file or for the page of --html. What is only counted has none.
  bool draws() const { return picture || (has_page && !counts_only()); }

  bool self_query() const { return !query && !grid; }
  bool has_checks() const { return verify || compare; }
  bool is_batch() const { return jobs || queries.size() > 1; }
};

/// What --features takes: shapes, and what is a column of the rows alone.
inline constexpr std::string_view k_feature_words =
    "normals, curvature, linearity, planarity, sphericity, verticality, omnivariance, density, neighbours, "
    "mean_distance, median_distance or lof";
inline constexpr std::array<std::string_view, 5> k_row_features = {"density", "neighbours", "mean_distance",
                                                                   "median_distance", "lof"};

/// The others among the features, in their order.
std::vector<Feature> shapes_of(const Options& options);

/// The names of the columns that --features gives.
std::vector<std::string> feature_column_names(const Options& options);

/// Whether an option names a column, which is then made for it.
bool names_column(const Options& options, std::string_view column);

/// Whether a word of the command line ("--header=no") says how clouds are read: Options::reading has those.
bool says_how_to_read(std::string_view word);

/// Reads the arguments. `info` as the first of them is no option: what follows are files, and those options that
/// takes() names. For all others, reads the arguments (without the program's name) and, for options that are not
/// given, their variables KANN_…, else the file of --config. `options` is an argument because it is needed after a
/// failure: the options of reporting (--json, --report, --quiet, --color) are read before all others, and they decide
/// how the failure is reported. The output of a batch is left as it was given.
/// @throws Error usage.
void parse_options(int count, const char* const* arguments, Options& options);

}  // namespace kann::cli
