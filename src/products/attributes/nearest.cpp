#include <type_traits>

#include "base/threads/parallel.hpp"
#include "products/attributes/methods.hpp"

namespace kann::attributes {

AttributeValues nearest_values(const Transfer& transfer, const Attribute& attribute) {
  return std::visit(
      [&](const auto& values) -> AttributeValues {
        std::remove_cvref_t<decltype(values)> out(static_cast<std::size_t>(transfer.rows.count));
        using T = typename decltype(out)::value_type;
        base::parallel_for(transfer.rows.count, transfer.threads, [&](std::int64_t query) {
          T value = attribute.missing<T>();
          transfer.for_each_neighbor(query, [&](std::int32_t id, std::size_t) {
            value = values[id];
            return false;
          });
          out[query] = value;
        });
        return out;
      },
      attribute.values);
}

}  // namespace kann::attributes
