// The k nearest neighbours of every query: options in, neighbours and a report out.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kann/device.hpp"
#include "kann/neighbors.hpp"
#include "kann/points.hpp"
#include "kann/sky.hpp"

namespace kann {

/// `exact`: the k smallest (squared distance, index) of all data points, where the squared distance is
/// fma(dz, dz, fma(dy, dy, dx·dx)) in float64 of the coordinates as given.
///
/// `shifted_sort` is approximate: the k ≤ k_max_shifted_k smallest (squared distance, index) of the candidates, which
/// are the W data points before and the W after the query in each of S shifted Morton orders (Chan 1997; Li et al.
/// 2012, Algorithm 1; Park 2017). Squared distances are those of float32 coordinates. SearchReport::sample says how
/// many of the nearest neighbours it has found.
///
/// `paper` is the same by Steps 0–10 of Park 2017 as published, to reproduce them: on a CUDA device, for k = 2, 4, 8 or
/// 16 and W = k. With the same S and W, both give the same bytes.
enum class Method { exact, shifted_sort, paper };

/// "exact", "shifted-sort" or "paper", as --method has it.
std::string_view name_of(Method method);

/// Which images of a point in a periodic box are neighbours: the nearest, once; or all of them, each for itself, among
/// them those of the query.
enum class Images { nearest, all };

/// What to do with points that have NaN or infinite coordinates. `skip` keeps the row numbers: such a data point is
/// never a neighbour, and such a query gets k missing neighbours.
enum class InvalidPoints { error, skip };

/// More shifted orders than this only take time.
inline constexpr int k_max_shifts = 1023;

/// The most neighbours that the shifted sort finds: the list of a query is in the registers of one thread.
inline constexpr std::int64_t k_max_shifted_k = 32;

struct SearchOptions {
  std::int64_t k = 8;  ///< neighbours per query, minimum 1
  DeviceChoice device;
  Method method = Method::exact;
  std::optional<int> shifts;           ///< S, odd, at most k_max_shifts; default 3, with `paper` 2⌈d/2⌉ + 1 (Park
                                       ///< 2017, section I)
  std::optional<std::int64_t> window;  ///< W; the default is the smallest with which recall is .97 or more on the
                                       ///< clouds of bench/recall_clouds.hpp, with `paper` k. Like `shifts`, it is
                                       ///< refused with Method::exact.
  bool include_self = false;           ///< in a self-query, keep each point in its own row
  /// No neighbour is farther than this, in the unit of the coordinates; finite and at least 0. The row is the one
  /// without a radius, less the neighbours for which d² > R · R, where d² is computed in float64 from the coordinates
  /// as given and rounded as Method::exact says. The row of an exact answer thus has the nearest k within R. (Where R ·
  /// R is nearly 0, both squares are computed from scaled numbers.)
  std::optional<double> radius;
  /// A periodic box: distances are measured to images of points. Its sides, one per dimension, at most 1e150 each;
  /// along an axis of side 0, it is not periodic (a slab, a wire); at least one side is not 0. In 3-D, six numbers LX,
  /// LY, LZ, XY, XZ, YZ: it repeats by (LX, 0, 0), (XY, LY, 0) and (XZ, YZ, LZ); or nine: the three vectors by which it
  /// repeats, one after the other, of which one that is 0 does not. Of each vector, the part that is perpendicular to
  /// those before it (Gram and Schmidt) is more than 10⁻⁶ of its length. Empty: no box.
  ///
  /// Coordinates need not lie within one box. Along an axis of side L where the data are at most 1.25 L wide, and
  /// within 2 L of 0, they stay. Let m be the middle between their smallest and largest coordinate: a query x farther
  /// than 0.63 L from m becomes r + n · L, rounded to float64, with r = std::remainder(x, L) and n = std::nearbyint((m
  /// − r) / L). If the data are L wide, points at the upper end move to the lower end, provided that the sums and
  /// differences of these ends with L are exact. Along other axes, data and queries become std::remainder(x, L), which
  /// is not rounded.
  ///
  /// If any number but those of the sides is not 0, all points are moved: from the last vector v to the first, while c
  /// = ⌊u·x / h⌋ is not 0, x becomes fma(−c, v, x) along each axis, where h and u are the length and the direction of
  /// the perpendicular part of v.
  ///
  /// A query's images are itself and what it becomes by adding whole multiples n of the vectors, from the last to the
  /// first, fma(n, v, x) along each axis. Its distance from a data point is the smallest of the distances from its
  /// images, each computed as Method::exact says. The row has the k smallest (squared distance, index) of all data
  /// points, each of which occurs at most once. A box goes with Method::exact alone. `radius` is compared with this
  /// distance; 2.001 radii are less than the shortest vector by which a point repeats.
  ///
  /// With Images::all, a data point is a neighbour once for each image of the query, at the distance from this image,
  /// so that rows are always full; the radius may be any. In a self-query, the distances between a point and its own
  /// images are the lengths of the vectors between them, and with `include_self` 0 is the first. No query may have more
  /// than 10,000 images in reach.
  std::vector<double> periodic;
  Images images = Images::nearest;  ///< in a periodic box
  /// The coordinates are two angles in degrees: longitude (right ascension) and latitude (declination). Distances are
  /// great-circle distances in this unit, in which `radius` is given, too. The search is the exact one of the points on
  /// the unit sphere, on_sphere(); a neighbour is given sphere_distance() of its d², rounded to float32, and is within
  /// a radius R if d² is at most the square of chord(R). It goes with Method::exact alone, and not with `periodic`.
  std::optional<AngleUnit> sky;
  InvalidPoints invalid = InvalidPoints::error;
  int threads = 0;                   ///< CPU threads; 0: all of the machine
  std::string data_name = "data";    ///< name of the data in messages
  std::string query_name = "query";  ///< name of the queries in messages
  /// Called on the thread that called the search, with the name of a step and the fraction of the search that is done:
  /// on the CPU after each chunk of queries, on a CUDA device at the start and the end. May be empty.
  std::function<void(std::string_view step, double fraction)> on_progress;
  /// A device that start_device() starts on another thread; a search that takes the device waits for it. Without a
  /// valid future such a search starts the device itself.
  std::shared_future<std::shared_ptr<const StartedDevice>> start_up;
};

/// Refuses options that no search can accept, whatever its clouds: values out of range, and options that exclude each
/// other. search() does the same; call this to refuse them before files are read. Does not block.
/// @throws Error usage.
void check_options(const SearchOptions& options);

/// Seconds per step, summed over the shifts. A step that does not run has 0: `upload` and `download` on the CPU,
/// `boxes` with an approximate method, `rows` if `select` writes them, `sample` with Method::exact. `start_up` is the
/// time that the search waited for a CUDA device to start.
struct StepSeconds {
  double prepare = 0, start_up = 0, upload = 0, encode = 0, sort = 0, rank = 0, boxes = 0, select = 0, rows = 0,
         download = 0, sample = 0;
};

/// How good an approximate answer is, measured on a sample of its queries that are also searched exactly: 1,024 of the
/// valid queries, or all if there are no more, at no regular stride.
struct Sample {
  std::int64_t queries = 0;
  /// The fraction of the neighbours that are at least as near as the k-th neighbour of the exact answer, by squared
  /// distances in float64 from the coordinates as given; empty if there was nothing to find.
  std::optional<double> recall;
};

struct SearchReport {
  DeviceInfo device;
  std::string device_reason;  ///< why DeviceKind::automatic took this device; empty if it was asked for
  std::int64_t data_points = 0, query_points = 0;
  std::int64_t data_skipped = 0, query_skipped = 0;  ///< rows with invalid points
  int dimensions = 0;
  Method method = Method::exact;
  int shifts = 0;                             ///< S of an approximate search; 0 with Method::exact, as is the next
  std::int64_t window = 0;                    ///< W
  Sample sample;                              ///< of an approximate search
  std::optional<std::int64_t> within_radius;  ///< neighbours in all rows, with SearchOptions::radius
  /// Rows that have k neighbours, with SearchOptions::radius: there may be more within the radius, cut off by k.
  std::optional<std::int64_t> full_rows;
  StepSeconds steps;
  double start_up_seconds = 0;         ///< how long the CUDA device took to start; 0 with DeviceKind::cpu
  double total_seconds = 0;            ///< from points in host memory to results in host memory
  std::int64_t device_peak_bytes = 0;  ///< CUDA only
  std::vector<std::string> warnings;
};

struct SearchResult {
  Neighbors neighbors;
  SearchReport report;
};

/// Searches the k nearest neighbours in `data` (n × d coordinates, d = 2 or 3) of each of `queries` (m × d, in the same
/// unit). The result has m rows of k neighbours, in the order of the queries: indices of data points by increasing
/// (distance, index), and distances in the unit of the coordinates, rounded to float32. A row is a pure function of its
/// query, the data and k, radius, method, shifts and window: the same bytes on every device, with every number of
/// threads, whatever the other queries are. Blocks until the result is in host memory.
/// @throws Error usage (an option out of range), bad_input (invalid points, dimensions differ), resources (memory),
///         no_device (DeviceKind::cuda and no usable device).
SearchResult search(const PointsView& data, const PointsView& queries, const SearchOptions& options);

/// search() with the data as the queries (m = n). A point is not in its own row, unless `options.include_self`.
SearchResult search_self(const PointsView& data, const SearchOptions& options);

/// The version of the library, e.g. "0.1.0".
std::string_view version();

/// The commit that the library was built from; "unknown" outside a checkout.
std::string_view build_commit();

}  // namespace kann
