#include <algorithm>

#include "kann/neighbors.hpp"

namespace kann {
namespace {

__extension__ using Wide = __int128;

/// Whether ids and distances are as many as the lists say.
bool are_whole(const Rows& lists, std::size_t ids) {
  const auto& begins = lists.begins;
  return static_cast<std::int64_t>(begins.size()) == lists.count + 1 && begins.front() >= 0 &&
         std::ranges::is_sorted(begins) && static_cast<Wide>(ids) == Wide{begins.back()} - begins.front() &&
         lists.distances.size() == ids;
}

}  // namespace

void check_rows(const Rows& rows, const std::string& who, ErrorKind kind) {
  const std::size_t ids = std::visit([](const auto& all) { return all.size(); }, rows.ids);
  const std::string sizes = std::to_string(ids) + " ids and " + std::to_string(rows.distances.size()) + " distances";
  if (!rows.begins.empty()) {
    if (are_whole(rows, ids)) return;
    throw Error(
        kind, who + ": the lists end at neighbour " + std::to_string(rows.begins.back()) + ", but there are " + sizes);
  }
  const Wide values = static_cast<Wide>(rows.count) * rows.k;
  if (rows.count < 0 || rows.k < 0 || static_cast<Wide>(ids) != values ||
      static_cast<Wide>(rows.distances.size()) != values)
    throw Error(kind, who + ": " + std::to_string(rows.count) + " rows of " + std::to_string(rows.k) +
                          " neighbours do not match " + sizes);
}

}  // namespace kann
