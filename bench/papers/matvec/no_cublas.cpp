// Builds without cuBLAS have no product to compare with.
#include "papers/matvec/matvec.hpp"

namespace kann::bench {

std::unique_ptr<VendorMatvec> make_vendor_matvec(cudaStream_t) { return nullptr; }

}  // namespace kann::bench
