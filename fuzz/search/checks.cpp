#include "search/checks.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "kann/clusters.hpp"
#include "kann/error.hpp"
#include "kann/index.hpp"

#include "cpu/vector/vector_target.hpp"
#include "search/expected.hpp"
#include "search/list_search.hpp"

namespace kann::fuzz {
namespace {

/// All that a case is asked for, or the error message.
struct Outcome {
  Neighbors rows;
  NeighborLists lists = {}, half_lists = {};
  test::ClusterLabels clusters = {};
  std::string error = {};
};

Groups groups_of(const SearchCase& c) {
  return {c.data.labels, c.queries ? c.queries->labels : std::span<const std::int64_t>(), *c.rule, c.sets};
}

/// Half of the pairs, of which `most` are held at a time.
NeighborLists half_lists(const Index& index, const Points& data, const SearchOptions& options, std::int64_t most) {
  const detail::ListSearch search(index, data, std::nullopt, options, detail::ListedPairs::half, most);
  NeighborLists lists{{0}, {}, {}};
  search.blocks().for_each([&](const Rows& block) {
    const auto before = std::ssize(lists.ids) - block.begins[0];
    for (std::size_t i = 1; i < block.begins.size(); ++i) lists.begins.push_back(before + block.begins[i]);
    const auto ids = std::get<0>(block.ids);
    lists.ids.insert(lists.ids.end(), ids.begin(), ids.end());
    lists.distances.insert(lists.distances.end(), block.distances.begin(), block.distances.end());
  });
  return lists;
}

test::ClusterLabels clusters_of(const SearchCase& c, const Points& data, const Where& where) {
  ClusterOptions options{.radius = *c.radius, .min_points = c.min_points, .periodic = c.periodic, .sky = c.sky};
  options.invalid = options_of(c, where).invalid;
  options.device.kind = where.device;
  options.threads = where.threads;
  const Array<std::int32_t> labels = cluster(data, options).labels;
  return {labels.begin(), labels.end()};
}

Outcome outcome_of(const SearchCase& c, const Where& where) {
  try {
    Outcome out;
    const SearchOptions options = options_of(c, where);
    const Points data = to_points(c.data), queries = to_points(c.query_cloud());
    const auto asked = c.queries ? std::optional<PointsView>(queries) : std::nullopt;
    const Index index(data, {.invalid = options.invalid, .threads = 1});
    SearchResult found;
    NeighborLists counts;
    if (c.has_groups()) {
      found = search_groups(data, asked, groups_of(c), options);
      if (c.has_lists()) {
        out.lists = search_radius_groups(data, asked, groups_of(c), options).lists;
        counts = count_radius_groups(data, asked, groups_of(c), options).lists;
      }
    } else if (where.in_index) {
      found = asked ? index.search(*asked, options) : index.search_self(options);
      if (c.has_lists()) {
        out.lists = (asked ? index.search_radius(*asked, options) : index.search_radius_self(options)).lists;
        counts = (asked ? index.count_radius(*asked, options) : index.count_radius_self(options)).lists;
      }
    } else {
      found = asked ? search(data, *asked, options) : search_self(data, options);
      if (c.has_lists()) {
        out.lists = (asked ? search_radius(data, *asked, options) : search_radius_self(data, options)).lists;
        counts = (asked ? count_radius(data, *asked, options) : count_radius_self(data, options)).lists;
      }
    }
    out.rows = std::move(found.neighbors);
    const auto missing = std::ranges::count(out.rows.ids, k_missing_id);
    if (c.radius && found.report.within_radius != std::ssize(out.rows.ids) - missing) out.error = "a wrong report";
    if (counts.begins != out.lists.begins) out.error = "counts that are not those of the lists";
    // In one block, or in several
    if (c.has_half_lists()) out.half_lists = half_lists(index, data, options, where.in_index ? 1 : 1 << 30);
    if (c.has_clusters()) out.clusters = clusters_of(c, data, where);
    return out;
  } catch (const Error& error) {
    return {.rows = {}, .error = "error: " + std::string(error.what())};
  }
}

/// The row of a query: ids and distances.
using Row = std::pair<std::span<const std::int32_t>, std::span<const float>>;

Row row_of(const Neighbors& rows, std::int64_t q) {
  const auto begin = static_cast<std::size_t>(q * rows.k), size = static_cast<std::size_t>(rows.k);
  return {std::span(rows.ids).subspan(begin, size), std::span(rows.distances).subspan(begin, size)};
}

Row row_of(const NeighborLists& lists, std::int64_t q) {
  const auto begin = static_cast<std::size_t>(lists.begins[q]), size = lists.begins[q + 1] - begin;
  return {std::span(lists.ids).subspan(begin, size), std::span(lists.distances).subspan(begin, size)};
}

std::string text_of(const Row& row) {
  std::string text;
  for (std::size_t i = 0; i < row.first.size(); ++i) {
    char distance[32];
    std::snprintf(distance, sizeof distance, "%.9g", static_cast<double>(row.second[i]));
    text += " " + std::to_string(row.first[i]) + ":" + distance;
  }
  return text;
}

/// Whether the first rows of `got`, from row `first` of `want` on, have the same bytes: all of them if `count` is −1.
template <class Rows>
std::string difference_of_rows(const Rows& want, std::int64_t wanted, const Rows& got, std::int64_t found,
                               std::int64_t first, std::int64_t count) {
  if (count < 0 && wanted != found) return "another number of rows";
  for (std::int64_t q = 0; q < (count < 0 ? wanted : count); ++q) {
    const Row a = row_of(want, first + q), b = row_of(got, q);
    if (!std::ranges::equal(a.first, b.first) || a.second.size() != b.second.size() ||
        (!a.second.empty() && std::memcmp(a.second.data(), b.second.data(), a.second.size_bytes()) != 0))
      return "query " + std::to_string(first + q) + ": want" + text_of(a) + "\n  got" + text_of(b);
  }
  return "";
}

/// The first answer of the case that differs; of rows and lists, as difference_of_rows() says.
std::optional<Difference> difference(const Outcome& want, const Outcome& got, const Where& where,
                                     std::int64_t first = 0, std::int64_t count = -1) {
  if (want.error != got.error) return Difference{"want " + want.error + ", got " + got.error, where};
  if (!want.error.empty()) return std::nullopt;
  const std::string rows = difference_of_rows(want.rows, want.rows.queries, got.rows, got.rows.queries, first, count);
  if (!rows.empty()) return Difference{rows, where};
  const auto of_lists = [&](const NeighborLists& a, const NeighborLists& b) {
    return a.queries() == 0 && b.queries() == 0
               ? ""
               : difference_of_rows(a, a.queries(), b, b.queries(), first, a.queries() == 0 ? -1 : count);
  };
  if (const std::string lists = of_lists(want.lists, got.lists); !lists.empty())
    return Difference{"lists: " + lists, where, Answer::lists};
  if (const std::string half = of_lists(want.half_lists, got.half_lists); !half.empty())
    return Difference{"half of the pairs: " + half, where, Answer::half_lists};
  if (want.clusters == got.clusters) return std::nullopt;
  const auto place = std::ranges::mismatch(want.clusters, got.clusters).in1 - want.clusters.begin();
  return Difference{"another cluster of point " + std::to_string(place), where, Answer::clusters};
}

std::optional<Difference> check_brute_force(const SearchCase& c) {
  if (c.method != Method::exact && !has_plain_shifted_sort(c)) return std::nullopt;
  const Outcome got = outcome_of(c, {});
  if (!got.error.empty()) return Difference{"a search that should work fails with " + got.error, {}};
  Outcome want{c.method == Method::exact ? expected_rows(c) : plain_shifted_sort(c)};
  if (c.has_lists()) want.lists = expected_lists(c, false);
  if (c.has_half_lists()) want.half_lists = expected_lists(c, true);
  if (c.has_clusters()) want.clusters = expected_clusters(c).value_or(got.clusters);
  if (const auto found = difference(want, got, {})) return found;
  if (const std::string wrong = c.sky ? wrong_angle(c, got.rows) : ""; !wrong.empty()) return Difference{wrong, {}};
  return std::nullopt;
}

/// A search in an index, of which the first prepares what the next ones use.
std::optional<Difference> check_index(const SearchCase& c) {
  if (c.has_groups()) return std::nullopt;
  const Where index{.in_index = true};
  return difference(outcome_of(c, {}), outcome_of(c, index), index);
}

std::optional<Difference> check_threads(const SearchCase& c) {
  const Outcome want = outcome_of(c, {});
  for (int threads = 2; threads <= 4; ++threads) {
    const Where where{.threads = threads};
    if (const auto found = difference(want, outcome_of(c, where), where)) return found;
  }
  std::vector<cpu::VectorTarget> targets = cpu::vector_targets();
  targets.pop_back();  // the one that was used
  for (const cpu::VectorTarget target : targets) {
    const cpu::VectorTargetScope scope(target);
    if (auto found = difference(want, outcome_of(c, {}), {})) {
      found->what = "on vector target " + std::to_string(static_cast<int>(target)) + ", " + found->what;
      return found;
    }
  }
  return std::nullopt;
}

std::optional<Difference> check_limits(const SearchCase& given) {
  if (given.method != Method::exact) return std::nullopt;
  SearchCase c = given;
  const OwnLimits limits = random_limits(c);
  c.radius.reset();
  const Points data = to_points(c.data), queries = to_points(c.query_cloud());
  const SearchOptions options = options_of(c, {.threads = 2});
  LimitedClouds clouds{data};
  if (c.queries) clouds.queries.emplace(queries);
  if (c.has_groups()) clouds.groups = groups_of(c);
  Outcome want{expected_rows(c, limits.view())}, got;
  try {
    got.rows = search_limited(clouds, limits.view(), options).neighbors;
    if (!limits.radii.empty()) {
      want.lists = expected_lists(c, false, limits.view());
      got.lists = search_radius_limited(clouds, limits.view(), options).lists;
      if (count_radius_limited(clouds, limits.view(), options).lists.begins != got.lists.begins)
        got.error = "counts that are not those of the lists";
    }
  } catch (const Error& error) {
    got.error = error.what();
  }
  // In a box, d² may be rounded otherwise, and so decide which of those that are equally far are in the row
  for (Neighbors* const rows : {&want.rows, &got.rows})
    for (std::int64_t q = 0; q < rows->queries && !c.periodic.empty(); ++q)
      for (std::int64_t at = q * c.k; at < (q + 1) * c.k; ++at)
        if (rows->distances[at] == rows->distances[(q + 1) * c.k - 1]) rows->ids[at] = k_missing_id;
  return difference(want, got, {});
}

/// The queries of a piece, and behind them sometimes others: far away, or of float64. From far away, too many images of
/// a box may be in reach.
FuzzCloud with_strangers(Random& r, FuzzCloud piece, const SearchCase& c) {
  const std::uint64_t kind = r.below(4);
  if (kind == 0 || c.images == Images::all) return piece;
  if (kind == 1) piece.is_float64 = true;
  const double far = kind == 2 ? 1e6 : kind == 3 ? 1e30 : 0.1;
  for (int i = 0; i < 3; ++i)
    append(piece, std::vector<double>(static_cast<std::size_t>(piece.dimensions), far * (1 + 0.1 * i)));
  if (c.sky) move_to_sky(piece);
  return piece;
}

std::optional<Difference> check_pieces(const SearchCase& c) {
  if (!c.queries) return std::nullopt;
  const Outcome want = outcome_of(c, {});
  Random r(c.cut_seed);
  const std::int64_t m = c.queries->size();
  for (std::int64_t begin = 0; begin < m;) {
    const auto count = std::min<std::int64_t>(m - begin, 1 + static_cast<std::int64_t>(r.below(m)));
    SearchCase part = c;
    part.queries = with_strangers(r, rows_of(*c.queries, begin, begin + count), c);
    if (auto found = difference(want, outcome_of(part, {}), {}, begin, count)) {
      const bool is_alone = part.queries->size() == count;
      found->what = "rows " + std::to_string(begin) + " to " + std::to_string(begin + count) + " alone" +
                    (is_alone                                            ? ""
                     : part.queries->is_float64 != c.queries->is_float64 ? " as float64 and with others"
                                                                         : " and with others far away") +
                    ": " + found->what;
      found->other = std::move(part);
      return found;
    }
    begin += count;
  }
  return std::nullopt;
}

std::optional<Difference> check_self(const SearchCase& c) {
  if (c.queries || !c.include_self || c.images == Images::all) return std::nullopt;  // own images are vectors alone
  SearchCase two = c;
  two.queries = c.data;
  two.include_self = false;
  auto found = difference(outcome_of(c, {}), outcome_of(two, {}), {});
  if (found) found->other = std::move(two);
  return found;
}

std::optional<Difference> check_cuda(const SearchCase& c) {
  const Where cuda{.device = DeviceKind::cuda};
  if (const auto found = difference(outcome_of(c, {}), outcome_of(c, cuda), cuda)) return found;
  if (c.method != Method::shifted_sort || (c.k != 2 && c.k != 4 && c.k != 8 && c.k != 16)) return std::nullopt;
  SearchCase same = c;  // the options of `paper`, by name
  same.window = c.k;
  same.shifts = c.shifts.value_or(3);
  const Where paper{.device = DeviceKind::cuda, .method = Method::paper};
  auto found = difference(outcome_of(same, {}), outcome_of(same, paper), paper);
  if (found) {
    found->what = "with window " + std::to_string(c.k) + ", " + found->what;
    found->other = std::move(same);
  }
  return found;
}

constexpr Check k_checks[] = {{"brute-force", false, check_brute_force},
                              {"index", false, check_index},
                              {"threads", false, check_threads},
                              {"limits", false, check_limits},
                              {"pieces", false, check_pieces},
                              {"self", false, check_self},
                              {"cuda", true, check_cuda}};

}  // namespace

std::span<const Check> checks() { return k_checks; }

}  // namespace kann::fuzz
