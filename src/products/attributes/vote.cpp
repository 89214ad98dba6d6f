#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/threads/parallel.hpp"
#include "products/attributes/methods.hpp"

namespace kann::attributes {
namespace {

/// The value of the most entries; of several, that with the lowest rank; `best` if there are none. Sorts the entries,
/// (value, rank).
template <class T>
T most_frequent(std::vector<std::pair<T, std::int64_t>>& entries, T best) {
  std::ranges::sort(entries);
  std::ptrdiff_t most = 0;
  std::int64_t first_rank = 0;
  for (auto begin = entries.begin(); begin != entries.end();) {
    const auto end = std::find_if(begin, entries.end(), [&](const auto& e) { return e.first != begin->first; });
    if (end - begin > most || (end - begin == most && begin->second < first_rank)) {
      most = end - begin;
      best = begin->first;
      first_rank = begin->second;
    }
    begin = end;
  }
  return best;
}

}  // namespace

AttributeValues most_frequent_values(const Transfer& transfer, const Attribute& attribute) {
  return std::visit(
      [&](const auto& values) -> AttributeValues {
        std::remove_cvref_t<decltype(values)> out(static_cast<std::size_t>(transfer.rows.count));
        using T = typename decltype(out)::value_type;
        constexpr std::int64_t grain = 1024;
        base::parallel_chunks(transfer.rows.count, grain, transfer.threads, [&](std::int64_t begin, std::int64_t end) {
          std::vector<std::pair<T, std::int64_t>> entries;
          for (std::int64_t query = begin; query < end; ++query) {
            entries.clear();
            transfer.for_each_neighbor(query, [&](std::int32_t id, std::size_t) {
              if (!attribute.is_missing(values[id])) entries.emplace_back(values[id], std::ssize(entries));
              return true;
            });
            out[query] = most_frequent(entries, attribute.missing<T>());
          }
        });
        return out;
      },
      attribute.values);
}

}  // namespace kann::attributes
