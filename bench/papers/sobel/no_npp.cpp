// Builds without NPP have no Sobel operator to compare with.
#include "papers/sobel/sobel.hpp"

namespace kann::bench {

std::unique_ptr<VendorSobel> make_vendor_sobel(cudaStream_t) { return nullptr; }

}  // namespace kann::bench
