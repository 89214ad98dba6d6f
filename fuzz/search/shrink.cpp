#include "search/shrink.hpp"

#include <algorithm>

namespace kann::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

class Shrinking {
 public:
  Shrinking(SearchCase& c, const std::function<bool(const SearchCase&)>& fails, Clock::time_point end)
      : case_(c), fails_(fails), end_(end) {}

  /// Whether anything became smaller.
  bool pass() {
    bool smaller = drop_points([](SearchCase& c) -> FuzzCloud& { return c.data; });
    if (case_.queries) smaller |= drop_points([](SearchCase& c) -> FuzzCloud& { return *c.queries; });
    // skip_invalid stays: without it, a case with invalid points would fail in another way.
    for (auto simplify : {+[](SearchCase& c) { c.shifts.reset(); }, +[](SearchCase& c) { c.window.reset(); },
                          +[](SearchCase& c) { c.include_self = false; }, +[](SearchCase& c) { c.radius.reset(); },
                          +[](SearchCase& c) { c.sky.reset(); }, without_groups, without_box,
                          +[](SearchCase& c) { c.images = Images::nearest; }, +[](SearchCase& c) { c.min_points = 1; },
                          +[](SearchCase& c) { c.k = 1; }, +[](SearchCase& c) { c.k = (c.k + 1) / 2; },
                          +[](SearchCase& c) { c.k -= c.k > 1; }}) {
      SearchCase tried = case_;
      simplify(tried);
      if (differ(tried)) smaller |= take_if_fails(tried);
    }
    return smaller && Clock::now() < end_;
  }

 private:
  static void without_groups(SearchCase& c) {
    c.rule.reset();
    c.sets.clear();
    c.data.labels.clear();
    if (c.queries) c.queries->labels.clear();
  }

  static void without_box(SearchCase& c) {
    c.periodic.clear();
    c.images = Images::nearest;
  }

  bool differ(const SearchCase& o) const {
    return o.k != case_.k || o.shifts != case_.shifts || o.window != case_.window ||
           o.include_self != case_.include_self || o.radius != case_.radius || o.sky != case_.sky ||
           o.rule != case_.rule || o.periodic != case_.periodic || o.images != case_.images ||
           o.min_points != case_.min_points;
  }

  bool take_if_fails(SearchCase& tried) {
    if (Clock::now() >= end_ || !fails_(tried)) return false;
    std::swap(case_, tried);
    return true;
  }

  template <class Part>
  bool drop_points(Part part) {
    bool smaller = false;
    for (std::int64_t size = (part(case_).size() + 1) / 2; size > 0; size = size == 1 ? 0 : (size + 1) / 2)
      for (std::int64_t begin = 0; begin < part(case_).size();) {
        const auto end = std::min(begin + size, part(case_).size());
        SearchCase tried = case_;
        part(tried) = without_rows(part(case_), begin, end);
        if (take_if_fails(tried))
          smaller = true;
        else
          begin = end;
        if (Clock::now() >= end_) return smaller;
      }
    return smaller;
  }

  SearchCase& case_;
  const std::function<bool(const SearchCase&)>& fails_;
  Clock::time_point end_;
};

}  // namespace

SearchCase shrink(SearchCase c, const std::function<bool(const SearchCase&)>& fails, std::chrono::seconds time) {
  Shrinking shrinking(c, fails, Clock::now() + time);
  while (shrinking.pass()) {
  }
  return c;
}

}  // namespace kann::fuzz
