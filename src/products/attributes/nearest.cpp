#include <type_traits>

#include "base/threads/parallel.hpp"
#include "products/attributes/methods.hpp"

namespace kann::attributes {

AttributeValues nearest_values(const Transfer& transfer, const Attribute& attribute) {
  return std::visit(
      [&](const auto& values) -> AttributeValues {
        std::remove_cvref_t<decltype(values)> out(static_cast<std::size_t>(transfer.neighbors.queries));
        using T = typename decltype(out)::value_type;
        base::parallel_for(transfer.neighbors.queries, transfer.threads, [&](std::int64_t query) {
          T value = attribute.missing<T>();
          const std::int32_t* const ids = transfer.ids_of(query);
          for (std::int64_t rank = 0; rank < transfer.neighbors.k; ++rank)
            if (ids[rank] != k_missing_id) {
              value = values[ids[rank]];
              break;
            }
          out[query] = value;
        });
        return out;
      },
      attribute.values);
}

}  // namespace kann::attributes
