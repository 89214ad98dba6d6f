#include "products/accuracy/check_reference.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "kann/compare.hpp"
#include "kann/error.hpp"

namespace kann {
namespace {

[[noreturn]] void refuse_rows(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::bad_input, name + ": " + what);
}

std::string number_text(std::int64_t number) { return std::to_string(number); }

template <class Id>
void check_ids(std::span<const Id> ids, std::int64_t k, std::int64_t first, std::int64_t points, Images images,
               const std::string& name) {
  std::vector<Id> row;
  for (std::int64_t query = first; !ids.empty(); ++query, ids = ids.subspan(static_cast<std::size_t>(k))) {
    row.assign(ids.begin(), ids.begin() + k);
    for (const Id id : row)
      if (id < k_missing_id || id >= points)
        refuse_rows(name, "row " + number_text(query) + " has id " + number_text(id) + " (data has " +
                              number_text(points) + " points)");
    if (images == Images::all) continue;
    std::erase(row, k_missing_id);
    std::ranges::sort(row);
    if (const auto twice = std::ranges::adjacent_find(row); twice != row.end())
      refuse_rows(name, "row " + number_text(query) + " has id " + number_text(*twice) + " twice");
  }
}

}  // namespace

void check_reference(const Neighbors& reference, std::int64_t queries, std::int64_t points, const std::string& name,
                     Images images) {
  __extension__ using Wide = __int128;
  accuracy::check_reference_rows(reference.queries, queries, name);
  if (reference.k < 0 || reference.ids.size() != static_cast<Wide>(queries) * reference.k)
    refuse_rows(name, number_text(queries) + " rows of " + number_text(reference.k) + " neighbours do not match " +
                          number_text(std::ssize(reference.ids)) + " ids");
  check_ids(std::span<const std::int32_t>(reference.ids), reference.k, 0, points, images, name);
}

namespace accuracy {

void check_reference_rows(std::int64_t rows, std::int64_t queries, const std::string& name) {
  if (rows != queries)
    refuse_rows(name, "not a row per query (got " + number_text(rows) + ", need " + number_text(queries) + ")");
}

void check_reference_ids(std::span<const std::int64_t> ids, std::int64_t k, std::int64_t first, std::int64_t points,
                         Images images, const std::string& name) {
  check_ids(ids, k, first, points, images, name);
}

}  // namespace accuracy
}  // namespace kann
