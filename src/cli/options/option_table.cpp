#include "cli/options/option_table.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "cli/options/setters.hpp"

namespace kann::cli {
namespace {

using O = Options;
using G = Given;
constexpr Audience k_most = Audience::most, k_few = Audience::few;
constexpr bool k_has_variable = true, k_no_variable = false, k_is_repeatable = true;
constexpr std::string_view k_no_words, k_needs_value;
constexpr std::string_view k_result_words = "npz|npy|csv|tsv|bin|ivecs|ibin|fvecs|fbin|mtx|ply|las|laz|cloud-csv";
constexpr std::string_view k_check = "Check", k_answers = "Statistics, pictures and attributes";

constexpr std::int64_t k_max_threads = 1024;

constexpr OptionSpec k_options[] = {
    {"Input", k_most, 0, "data", "FILE",
     "the cloud to search, 2-D or 3-D: PLY, XYZ, TXT, CSV, NPY, NPZ, PCD, LAS, LAZ, fvecs or fbin; - is stdin",
     [](O& o, const G& g) { o.data = path(g); }},
    {"Input", k_most, 0, "query", "FILE",
     "points whose neighbours are wanted; several files make a batch, with one result each [the data]",
     [](O& o, const G& g) { o.queries.push_back(path(g)); }, k_no_words, k_no_variable, k_needs_value, k_is_repeatable},
    {"Input", k_most, 0, "grid", "STEP",
     "the queries are the centres of the cells of a grid over the data: squares (3-D: cubes) with sides of STEP, "
     "aligned to its multiples; ordered from west to east, then north to south, then upwards; .npz has grid_shape, "
     "grid_origin and grid_step",
     [](O& o, const G& g) { o.grid = positive(g); }},
    {"Input", k_most, 0, "jobs", "FILE",
     "a batch, a line per job: data<TAB>query<TAB>output or a JSON object with these keys; --data and --output stand "
     "for what a line leaves out; - reads lines from stdin, and answers as they come",
     [](O& o, const G& g) { o.jobs = path(g); }},
    {"Input", k_few, 0, "data-format", "FORMAT",
     "format of --data, or of the files of kann info, whatever the extension: ply, xyz, txt, csv, tsv, npy, npz, pcd, "
     "las, laz, fvecs, fbin or kitti",
     [](O& o, const G& g) { o.data_format = point_format_of(g); }, k_point_formats},
    {"Input", k_few, 0, "query-format", "FORMAT", "format of --query, likewise",
     [](O& o, const G& g) { o.query_format = point_format_of(g); }, k_point_formats},
    {"Input", k_most, 0, "columns", "X,Y[,Z]",
     "columns, properties or fields of both clouds that are coordinates, by name or by number from 1 [those whose "
     "names say so]",
     [](O& o, const G& g) { o.columns = names(g); }},
    {"Input", k_few, 0, "query-columns", "X,Y[,Z]",
     "the coordinates of --query, where they differ from --columns, likewise",
     [](O& o, const G& g) { o.query_columns = names(g); }},
    {"Input", k_few, 0, "header", "yes|no",
     "whether the first line of a text file names its columns, where it may also be a point (0,1,2) [the file is "
     "refused]",
     [](O& o, const G& g) { o.header = is_yes(g); }},
    {"Input", k_few, 0, "quotes", "double|none",
     "what double quotes in a text file are: around a cell that may hold delimiters and line breaks, or characters "
     "like "
     "others [double]",
     [](O& o, const G& g) { o.quotes = has_quotes(g); }},
    {"Input", k_few, 0, "invalid", "error|skip",
     "points with NaN, infinite or missing coordinates: refuse the cloud, or skip them (row numbers stay the same; a "
     "skipped query has no neighbours) [error]",
     [](O& o, const G& g) { o.search.invalid = invalid_points(g); }},

    {"Input", k_most, 0, "where", "CONDITION",
     "search only the points of the data that meet a condition on their columns, such as 'classification in 2,6 and "
     "z > 0'; without --query, they are the queries, too; row numbers stay the same; none undoes one in --config",
     [](O& o, const G& g) { o.where.add(parse_condition(g.name, g.text)); }, k_no_words, k_no_variable, k_needs_value,
     k_is_repeatable},
    {"Input", k_most, 0, "query-where", "CONDITION",
     "find neighbours only of the points of --query that meet a condition; others have none, and a cloud or a table is "
     "without them",
     [](O& o, const G& g) { o.query_where.add(parse_condition(g.name, g.text)); }, k_no_words, k_no_variable,
     k_needs_value, k_is_repeatable},

    {"Search", k_most, 'k', "k", "N|all",
     "neighbours per query; all, with --radius: every neighbour within it, in rows of any length (.npz has indptr, ids "
     "and distances; .csv, .tsv and .mtx have a line for each) [8]",
     set_k},
    {"Search", k_few, 0, "pairs", "both|half",
     "with --k all and without --query: list a pair in the rows of both points, or only in that of the point with the "
     "smaller number [both]",
     [](O& o, const G& g) { o.half_pairs = are_half_pairs(g); }},
    {"Search", k_most, 0, "radius", "R|NAME|none",
     "only neighbours within R, in the unit of the coordinates: the nearest k of them; or the attribute of the queries "
     "that has a radius for each; none undoes a radius in --config",
     set_radius},
    {"Search", k_few, 0, "min-radius", "R|NAME|none", "no neighbours that are nearer than R, likewise",
     [](O& o, const G& g) { o.min_radius = length_or_name(g); }},
    {"Search", k_most, 0, "periodic", "LX,LY[,LZ[,XY,XZ,YZ]]",
     "distances to the nearest image in a periodic box with these sides, in the unit of the coordinates; 0 for an axis "
     "that is not periodic; XY,XZ,YZ slant it: it repeats by (LX,0,0), (XY,LY,0) and (XZ,YZ,LZ); nine numbers are "
     "three "
     "vectors; none undoes a box in --config",
     [](O& o, const G& g) { o.search.periodic = sides(g); }},
    {"Search", k_few, 0, "images", "nearest|all",
     "in a periodic box: a point is a neighbour once, by its nearest image, or each of its images is one, with its "
     "shift [nearest]",
     [](O& o, const G& g) { o.search.images = images(g); }},
    {"Search", k_most, 0, "sky", "",
     "the two coordinates are longitude and latitude, or ra and dec, in degrees; distances are great-circle distances",
     [](O& o, const G&) { o.sky = true; }},
    {"Search", k_most, 0, "unit", "UNIT",
     "with --sky: unit of distances and of --radius: arcsec, arcmin, deg, m or km (on a sphere with the mean radius of "
     "the Earth) [deg]; without: the name of the unit of the coordinates, for legends, tables and pages; it converts "
     "nothing [that of the coordinate system]",
     [](O& o, const G& g) { o.unit = unit(g); }},
    {"Search", k_most, 0, "group", "NAME",
     "only neighbours that have the same value of this attribute as the query: the same class, frame or batch",
     [](O& o, const G& g) { o.group = attribute_name(g); }},
    {"Search", k_most, 0, "other-group", "NAME", "only neighbours that have another value of it, likewise",
     [](O& o, const G& g) { o.other_group = attribute_name(g); }},
    {"Search", k_few, 0, "include-self", "", "a point is its own neighbour, too, in a search without --query",
     [](O& o, const G&) { o.search.include_self = true; }},
    {"Search", k_most, 0, "method", "exact|shifted-sort|paper",
     "exact: the k nearest; shifted-sort: an approximate answer, for k <= 32, with its recall on a sample in the "
     "summary; paper: the same by the steps of Park 2017 as published, on CUDA, with k 2, 4, 8 or 16; --exact is short "
     "for --method exact [exact]",
     [](O& o, const G& g) { o.search.method = method(g); }},
    {"Search", k_few, 0, "shifts", "S",
     "with --method shifted-sort or paper: number of shifted orders to search, odd; more raise the recall [3; paper: "
     "5, in 2-D 3]",
     [](O& o, const G& g) { o.search.shifts = odd_number(g, k_max_shifts); }},
    {"Search", k_few, 0, "window", "W",
     "with --method shifted-sort: candidates on each side of a query in each order; more raise the recall [chosen by k "
     "and dimension; paper: k]",
     [](O& o, const G& g) { o.search.window = whole_number(g, 1); }},

    {"Device", k_most, 0, "device", "auto|cpu|cuda|cuda:N",
     "where to run; auto takes what will finish first, the start of CUDA included [auto]",
     [](O& o, const G& g) {
       o.search.device = device(g);
       o.device_has_number = g.text.starts_with("cuda:");
     },
     k_no_words, k_has_variable},
    {"Device", k_most, 0, "threads", "N", "CPU threads; 0: what OMP_NUM_THREADS says, else all [0]",
     [](O& o, const G& g) { o.search.threads = static_cast<int>(whole_number(g, 0, k_max_threads)); }, k_no_words,
     k_has_variable},
    {"Device", k_most, 0, "max-memory", "SIZE",
     "memory that the search may take on the host, and on a GPU that is asked for: 4G (units of 2^30 bytes) or 4GB "
     "(10^9); a search that needs more is made in tiles, through temporary files [what is available]",
     [](O& o, const G& g) { o.max_memory = byte_count(g); }},
    {"Device", k_few, 0, "temp-folder", "FOLDER",
     "folder for the temporary files of a search in tiles [that of the output]",
     [](O& o, const G& g) { o.temp_folder = folder(g); }},

    {"Output", k_most, 'o', "output", "FILE",
     "the result, in the format of its extension; .npz, .npy, .csv, .tsv, .bin, .ivecs, .ibin, .fvecs, .fbin and .mtx: "
     "the neighbours; .ply, .las and .laz: the queries with their attributes, nn_id, nn_distance, and for more than "
     "one "
     "neighbour mean_distance and density; "
     "- is stdout; a folder (out/), or a pattern with {stem} or {name} of the query file, {data}, the stem of the data "
     "file, or {index} of the job, from 1 "
     "[STEM.knn.npz for the query file STEM.ply, STEM.clusters.npz with --cluster]",
     [](O& o, const G& g) { o.output = path(g); }},
    {"Output", k_few, 0, "output-format", "FORMAT",
     "format of --output, whatever its extension: npz, npy, csv, tsv, bin, ivecs, ibin, fvecs, fbin, mtx, ply, las, "
     "laz "
     "or cloud-csv (a cloud as text)",
     [](O& o, const G& g) { set_output_format(o, g); }, k_result_words},
    {"Output", k_few, 0, "distances", "float32|float64",
     "the type of the distances in .npz, .npy, .csv and .tsv; in float64 they are the roots of what is compared, not "
     "rounded further [float32]",
     [](O& o, const G& g) { o.float64_distances = are_float64(g); }},
    {"Output", k_few, 0, "output-per-rank", "",
     "under MPI, each rank writes its part of the rows, rank 2 of 8 to STEM.2-of-8.npz; the parts follow each other",
     [](O& o, const G&) { o.output_per_rank = true; }},
    {"Output", k_most, 0, "force", "", "replace an existing output (never an input)",
     [](O& o, const G&) { o.force = true; }},
    {"Output", k_most, 0, "skip-existing", "", "leave out jobs whose output exists",
     [](O& o, const G&) { o.skip_existing = true; }},
    {"Output", k_few, 0, "fail-fast", "", "end a batch at its first failure; jobs that have begun are finished",
     [](O& o, const G&) { o.fail_fast = true; }},

    {k_answers, k_most, 0, "stats", "",
     "print the distances per rank and the density as a table, with --k all how many neighbours there are; without "
     "--output, no result is written, and the table goes to stdout",
     [](O& o, const G&) { o.stats = true; }},
    {k_answers, k_most, 0, "picture", "FILE",
     "draw (.png) the queries, coloured by the distance to the nearest neighbour, with outlines and a legend; without "
     "--output, no result is written; in a batch, FILE is a pattern, as for --output",
     [](O& o, const G& g) { o.picture = path_with_ending(g, ".png"); }},
    {k_answers, k_few, 0, "view", "VIEW",
     "view of the picture: top, front, iso, or X,Y,Z, the direction from the cloud to the eye [auto: where most of it "
     "is seen]",
     [](O& o, const G& g) { o.view = view(g); }, "auto|top|front|iso"},
    {k_answers, k_most, 0, "picture-by", "NAME",
     "colours of the picture: distance, outlier, cluster, a feature (mean_distance, density, neighbours, nx, curvature "
     "...), an attribute of --transfer or of the queries, or rgb (their own or transferred) [distance; with --cluster, "
     "cluster]",
     [](O& o, const G& g) { o.picture_by = picture_by(g); },
     "distance|mean_distance|median_distance|neighbours|density|outlier|cluster|rgb"},
    {k_answers, k_few, 0, "color-scale", "linear|log",
     "how the values of the picture become colours [log for those that are nearly all low otherwise, such as "
     "densities; else linear]",
     [](O& o, const G& g) { o.color_scale = color_scale(g); }},
    {k_answers, k_few, 0, "color-range", "A,B",
     "the values of the first and the last colour of the picture, so that two pictures can be compared [those of "
     "nearly all points]",
     [](O& o, const G& g) { o.color_range = color_range(g); }},
    {k_answers, k_few, 0, "picture-size", "WIDTH[xHEIGHT]", "pixels of the picture [1600x1200]",
     [](O& o, const G& g) { o.picture_size = picture_size(g); }},
    {k_answers, k_most, 0, "outliers", "K,SIGMA",
     "flag statistical outliers: queries whose mean distance to their K nearest neighbours exceeds the average of all "
     "by more than SIGMA standard deviations, as PCL's filter does; in .npz, text and clouds, and counted; the default "
     "of "
     "--k is at least K",
     [](O& o, const G& g) { o.outliers = outlier_options(g); }},
    {k_answers, k_most, 0, "keep", "CONDITION",
     "write only the points that meet a condition, such as 'nn_distance > 0.5 and classification in 2,6', in a cloud "
     "or text; "
     "it is about columns that were found (nn_distance, neighbours, outlier ...), of the queries or of "
     "--transfer, and has = != < <= > >= with a number or a word, or in with several; a missing value meets none",
     [](O& o, const G& g) { o.keep.add(parse_condition(g.name, g.text)); }, k_no_words, k_no_variable, k_needs_value,
     k_is_repeatable},
    {k_answers, k_few, 0, "attributes", "NAME[=NEW],-NAME",
     "columns of a cloud or of text: only those that are named, in this order; with -NAME, all but these; NAME=NEW "
     "gives another name",
     [](O& o, const G& g) { o.attributes = attribute_choices(g); }},
    {k_answers, k_most, 0, "cluster", "R[,MIN]",
     "clusters of the data in the place of neighbours, as DBSCAN finds them: a point with MIN points within R, itself "
     "among them, is a core point, and core points within R of each other are in one cluster; other points are in that "
     "of their nearest core point within R, or noise, -1; in .npz, text and clouds as cluster, numbered in the order "
     "of the points; with MIN 1, connected components (friends of friends) [MIN 1]",
     [](O& o, const G& g) { o.cluster = cluster_options(g); }},
    {k_answers, k_most, 0, "join", "inner|left|anti",
     "write a table (.csv, .tsv) of pairs with the columns of both clouds, by default with k = 1; inner: "
     "queries that have a pair; left: all queries; anti: those without a pair [left]",
     [](O& o, const G& g) { o.join = join(g); }},
    {k_answers, k_most, 0, "match", "mutual|one-to-one",
     "which pairs count; mutual: those of which each is the nearest of the other, with k = 1; one-to-one: each query "
     "and each data point is in one pair at most; the nearest two are a pair, all other pairs of theirs are dropped, "
     "and so on [all]",
     [](O& o, const G& g) { o.match = match(g); }},
    {k_answers, k_most, 0, "transfer", "NAME[,NAME]",
     "give the queries attributes (properties, columns, fields) of the data, in .npz as attr_NAME, in text or in the "
     "cloud "
     "that is written",
     set_transfer},
    {k_answers, k_most, 0, "by", "[NAME=]METHOD[,...]",
     "how --transfer finds a value: nearest, that of the nearest neighbour; mean, that of the k; idw, weighted by "
     "1/d^2; vote, what most of them have; rbf, radial basis functions; several methods are for the names in their "
     "order (idw,vote), NAME=METHOD for one name beside a method for all others (idw,class=vote). Instead of a mean of "
     "whole numbers other than coordinates, colours, intensity and scan angle, vote is taken, with a warning, unless a "
     "method is given for them in particular [nearest]",
     [](O& o, const G& g) { o.transfer_by = transfer_by(g); }, "nearest|mean|idw|vote|rbf"},
    {k_answers, k_few, 0, "rbf", "NAME=VALUE[,...]",
     "how --by rbf interpolates, with the names of scipy's RBFInterpolator; kernel=thin_plate_spline, cubic, linear or "
     "gaussian; degree=N of the polynomial, from 0 to 2, or -1 for none; smoothing=X, 0 goes through all values; "
     "epsilon=X, the factor of the distances in a kernel [thin_plate_spline, 1, 0 and 1]",
     [](O& o, const G& g) { o.rbf = rbf(g); }, "kernel=thin_plate_spline|kernel=cubic|kernel=linear|kernel=gaussian"},
    {k_answers, k_most, 0, "features", "NAME[,NAME]",
     "what the k nearest of each query are like, or, with --k all, all within --radius, in .npz, text and clouds: "
     "density, "
     "neighbours (how many), mean_distance, median_distance, lof (the local outlier factor); and the shape of the "
     "neighbourhood, with the point itself in a search without --query: normals (nx, ny and nz), curvature, linearity, "
     "planarity, sphericity, verticality and omnivariance",
     [](O& o, const G& g) { o.features = features(g); }, k_feature_words},
    {k_answers, k_few, 0, "orient", "up|X,Y,Z",
     "where normals look: upwards, or to a point, such as that of the scanner [up]",
     [](O& o, const G& g) { o.orient = orientation(g); }, "up"},

    {k_check, k_most, 0, "verify", "[N]",
     "compare with exact rows in double, of all queries or N random ones: recall, the share of neighbours no farther "
     "than the exact k-th; mean distance ratio, the returned distance divided by the exact one of the same rank (1 is "
     "exact); all-correct, the number of queries with recall 1; identical, the number with the ids of brute force; if "
     "the answer is exact, exit code 1 unless all are identical",
     [](O& o, const G& g) { set_verify(o, g); }, k_no_words, k_no_variable, "all"},
    {k_check, k_most, 0, "min-recall", "X",
     "exit code 1 if the recall is below X, or nothing could be checked; of several, the largest counts; implies "
     "--verify, unless --compare is on the command line",
     [](O& o, const G& g) { o.min_recall = std::max(o.min_recall.value_or(0), unit_fraction(g)); }, k_no_words,
     k_no_variable, k_needs_value, k_is_repeatable},
    {k_check, k_most, 0, "compare", "FILE",
     "compare as --verify does, but with an earlier result or a ground truth of the same clouds: .npz, .npy, .bin, "
     ".ibin or .ivecs; exit code 1 if it has no neighbour to compare with, or claims to be exact and this result has "
     "nearer ones",
     [](O& o, const G& g) { o.compare = reference_path(g); }},

    {k_reporting, k_most, 0, "json", "", "print a report of the run on stdout, as JSON",
     [](O& o, const G&) { o.json = true; }},
    {k_reporting, k_most, 0, "report", "FILE", "write that report to a file as well, after a failure too",
     [](O& o, const G& g) { o.report = report_path(g); }},
    {k_reporting, k_most, 0, "html", "FILE",
     "write a page for people as well: what was asked, a picture, the distances, checks and times; of a "
     "batch, its jobs",
     [](O& o, const G& g) { o.html = path_with_ending(g, ".html"); }},
    {k_reporting, k_most, 0, "title", "TEXT", "heading of the page [the names of the clouds]",
     [](O& o, const G& g) { o.title = std::string(g.text); }},
    {k_reporting, k_most, 0, "plan", "",
     "print device, method, tiles, memory and files of the run that would be made, from the heads of the files alone, "
     "instead of searching; with --json as JSON; no file is made",
     [](O& o, const G&) { o.plan = true; }},
    {k_reporting, k_most, 'q', "quiet", "", "print errors only", [](O& o, const G&) { o.quiet = true; }},
    {k_reporting, k_most, 'v', "verbose", "", "print details, such as the time of each step",
     [](O& o, const G&) { o.verbose = true; }},
    {k_reporting, k_few, 0, "progress", "auto|always|never", "a progress line on stderr [auto: on a terminal]",
     [](O& o, const G& g) { o.progress = when(g); }, k_no_words, k_has_variable},
    {k_reporting, k_few, 0, "color", "auto|always|never", "colours on stderr [auto: on a terminal, without NO_COLOR]",
     [](O& o, const G& g) { o.color = when(g); }, k_no_words, k_has_variable},

    {k_of_check, k_few, 0, "sample", "N", "judge N rows of each result, drawn at random [all]",
     [](O& o, const G& g) { o.verify_sample = whole_number(g, 1); }},
    {k_of_check, k_few, 0, "against", "FILE",
     "compare with this reference, as --compare does; with --sample, also with exact rows",
     [](O& o, const G& g) { o.compare = reference_path(g); }},

    {k_configuration, k_most, 0, "config", "FILE",
     "take options from a TOML file, whose keys are their long names: k = 8, device = \"cpu\", force = true; options "
     "of the command line and variables win; paths are relative to the current folder",
     [](O& o, const G& g) { o.config = config_path(g); }},

    {k_about, k_most, 'V', "version", "", "print the version, and whether CUDA is usable",
     [](O& o, const G&) { o.action = Action::show_version; }},
    {k_about, k_most, 'h', "help", "[all]", "print the options that most people need; all: every one; -h: one screen",
     [](O& o, const G& g) {
       o.action = g.text == "all"    ? Action::show_whole_help
                  : g.text == "most" ? Action::show_help
                                     : Action::show_short_help;
     },
     "all", k_no_variable, "most"},
    {k_about, k_few, 0, "generate", "man|complete-bash|complete-zsh|complete-fish|markdown",
     "print the man page, the completions of a shell, or the reference of options",
     [](O& o, const G& g) { o.action = document(g); }},
};

}  // namespace

std::span<const OptionSpec> option_table() { return k_options; }

}  // namespace kann::cli
