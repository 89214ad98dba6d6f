#include "cpu/backend.hpp"

#include "cpu/workspace.hpp"

namespace kann::cpu {

Answer solve(const Problem& problem) {
  if (problem.method == Method::exact) return problem.dimensions == 3 ? exact<3>(problem) : exact<2>(problem);
  return problem.dimensions == 3 ? shifted_sort<3>(problem) : shifted_sort<2>(problem);
}

}  // namespace kann::cpu
