// Builds without CUDA have none of the kernels; the programs of this folder report that before they would call these.
#include "papers/lu/measure_lu.hpp"
#include "papers/matvec/measure_matvec.hpp"
#include "papers/sobel/measure_sobel.hpp"

namespace kann::bench {

void check_lu(const Program&, Report&) {}
void measure_lu(const Program&, const LuSettings&, Report&) {}
void check_sobel(const Program&, Report&) {}
void measure_sobel(const Program&, Report&) {}
void check_matvec(const Program&, Report&) {}
void measure_matvec(const Program&, Report&) {}

}  // namespace kann::bench
