#include "search/checks.hpp"

#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "kann/error.hpp"

#include "cpu/vector/vector_target.hpp"
#include "products/accuracy/periodic_answer.hpp"
#include "search/expected.hpp"

namespace kann::fuzz {
namespace {

/// Rows, or the error message.
struct Outcome {
  Neighbors rows;
  std::string error;
};

Outcome search_of(const SearchCase& c, const Where& where) {
  try {
    const SearchOptions options = options_of(c, where);
    const Points data = to_points(c.data);
    return {(c.queries ? search(data, to_points(*c.queries), options) : search_self(data, options)).neighbors, ""};
  } catch (const Error& error) {
    return {{}, "error: " + std::string(error.what())};
  }
}

std::string row_text(const Neighbors& rows, std::int64_t q) {
  std::string text;
  for (std::int64_t i = q * rows.k; i < (q + 1) * rows.k; ++i) {
    char distance[32];
    std::snprintf(distance, sizeof distance, "%.9g", static_cast<double>(rows.distances[i]));
    text += " " + std::to_string(rows.ids[i]) + ":" + distance;
  }
  return text;
}

/// Whether the first rows of `got`, from row `first` of `want` on, have the same bytes: all of them if `count` is −1.
std::optional<std::string> difference(const Outcome& want, const Outcome& got, std::int64_t first = 0,
                                      std::int64_t count = -1) {
  if (want.error != got.error) return "want " + want.error + ", got " + got.error;
  if (!want.error.empty()) return std::nullopt;
  if (count < 0) {
    if (want.rows.queries != got.rows.queries) return "another number of rows";
    count = want.rows.queries;
  }
  const std::int64_t k = want.rows.k;
  for (std::int64_t q = 0; q < count; ++q) {
    const auto size = static_cast<std::size_t>(k);
    if (std::memcmp(&want.rows.ids[(first + q) * k], &got.rows.ids[q * k], size * sizeof(std::int32_t)) ||
        std::memcmp(&want.rows.distances[(first + q) * k], &got.rows.distances[q * k], size * sizeof(float)))
      return "query " + std::to_string(first + q) + ": want" + row_text(want.rows, first + q) + "\n  got" +
             row_text(got.rows, q);
  }
  return std::nullopt;
}

Neighbors rows_of_brute_force(const SearchCase& c) {
  if (c.periodic.empty()) return brute_force(c.data, c.queries ? &*c.queries : nullptr, c.k, c.include_self, c.radius);
  const Points data = to_points(c.data);
  return test::periodic_answer(data, c.queries ? to_points(*c.queries) : data, c.periodic, c.k,
                               !c.queries && !c.include_self);
}

std::optional<Difference> check_brute_force(const SearchCase& c) {
  if (c.method != Method::exact) return std::nullopt;
  const Where where;
  const Outcome got = search_of(c, where);
  if (!got.error.empty()) return Difference{"a search that should work fails with " + got.error, where};
  const Outcome want{rows_of_brute_force(c), ""};
  if (const auto d = difference(want, got)) return Difference{*d, where};
  return std::nullopt;
}

std::optional<Difference> check_threads(const SearchCase& c) {
  const Outcome want = search_of(c, {});
  for (int threads = 2; threads <= 4; ++threads) {
    const Where where{.threads = threads};
    if (const auto d = difference(want, search_of(c, where))) return Difference{*d, where};
  }
  std::vector<cpu::VectorTarget> targets = cpu::vector_targets();
  targets.pop_back();  // the one that was used
  for (const cpu::VectorTarget target : targets) {
    const cpu::VectorTargetScope scope(target);
    if (const auto d = difference(want, search_of(c, {})))
      return Difference{"on vector target " + std::to_string(static_cast<int>(target)) + ", " + *d, {}};
  }
  return std::nullopt;
}

/// The queries of a piece, and behind them sometimes others: far away, or of float64.
FuzzCloud with_strangers(Random& r, FuzzCloud piece) {
  const std::uint64_t kind = r.below(4);
  if (kind == 0) return piece;
  if (kind == 1) piece.is_float64 = true;
  const double far = kind == 2 ? 1e6 : kind == 3 ? 1e30 : 0.1;
  for (int i = 0; i < 3; ++i)
    append(piece, std::vector<double>(static_cast<std::size_t>(piece.dimensions), far * (1 + 0.1 * i)));
  return piece;
}

std::optional<Difference> check_pieces(const SearchCase& c) {
  if (!c.queries) return std::nullopt;
  const Outcome want = search_of(c, {});
  Random r(c.cut_seed);
  const std::int64_t m = c.queries->size();
  for (std::int64_t begin = 0; begin < m;) {
    const auto count = std::min<std::int64_t>(m - begin, 1 + static_cast<std::int64_t>(r.below(m)));
    SearchCase part = c;
    part.queries = with_strangers(r, rows_of(*c.queries, begin, begin + count));
    if (const auto d = difference(want, search_of(part, {}), begin, count)) {
      const bool is_alone = part.queries->size() == count;
      return Difference{"rows " + std::to_string(begin) + " to " + std::to_string(begin + count) + " alone" +
                            (is_alone                                            ? ""
                             : part.queries->is_float64 != c.queries->is_float64 ? " as float64 and with others"
                                                                                 : " and with others far away") +
                            ": " + *d,
                        {},
                        std::move(part)};
    }
    begin += count;
  }
  return std::nullopt;
}

std::optional<Difference> check_self(const SearchCase& c) {
  if (c.queries || !c.include_self) return std::nullopt;
  SearchCase two = c;
  two.queries = c.data;
  two.include_self = false;
  if (const auto d = difference(search_of(two, {}), search_of(c, {}))) return Difference{*d, {}, std::move(two)};
  return std::nullopt;
}

std::optional<Difference> check_cuda(const SearchCase& c) {
  const Where cuda{.device = DeviceKind::cuda};
  if (const auto d = difference(search_of(c, {}), search_of(c, cuda))) return Difference{*d, cuda};
  if (c.method != Method::shifted_sort || (c.k != 2 && c.k != 4 && c.k != 8 && c.k != 16)) return std::nullopt;
  SearchCase same = c;  // the options of `paper`, by name
  same.window = c.k;
  same.shifts = c.shifts.value_or(3);
  const Where paper{.device = DeviceKind::cuda, .method = Method::paper};
  if (const auto d = difference(search_of(same, {}), search_of(same, paper)))
    return Difference{"with window " + std::to_string(c.k) + ", " + *d, paper, std::move(same)};
  return std::nullopt;
}

constexpr Check k_checks[] = {{"brute-force", false, check_brute_force},
                              {"threads", false, check_threads},
                              {"pieces", false, check_pieces},
                              {"self", false, check_self},
                              {"cuda", true, check_cuda}};

}  // namespace

std::span<const Check> checks() { return k_checks; }

}  // namespace kann::fuzz
