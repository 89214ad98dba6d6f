// NPP's Sobel magnitude by the L1 norm, the operator of the paper, without its clamp at 255.
#include <fmt/format.h>
#include <nppi_filtering_functions.h>

#include "kann/error.hpp"

#include "cuda/runtime/check.hpp"
#include "papers/sobel/sobel.hpp"

namespace kann::bench {
namespace {

class NppSobel : public VendorSobel {
 public:
  explicit NppSobel(cudaStream_t stream) {
    context_.hStream = stream;
    cuda::check(cudaGetDevice(&context_.nCudaDeviceId), "cudaGetDevice");
    int shared = 0;
    const auto read = [&](cudaDeviceAttr name, int& value) {
      cuda::check(cudaDeviceGetAttribute(&value, name, context_.nCudaDeviceId), "cudaDeviceGetAttribute");
    };
    read(cudaDevAttrMultiProcessorCount, context_.nMultiProcessorCount);
    read(cudaDevAttrMaxThreadsPerMultiProcessor, context_.nMaxThreadsPerMultiProcessor);
    read(cudaDevAttrMaxThreadsPerBlock, context_.nMaxThreadsPerBlock);
    read(cudaDevAttrMaxSharedMemoryPerBlock, shared);
    read(cudaDevAttrComputeCapabilityMajor, context_.nCudaDevAttrComputeCapabilityMajor);
    read(cudaDevAttrComputeCapabilityMinor, context_.nCudaDevAttrComputeCapabilityMinor);
    context_.nSharedMemPerBlock = static_cast<std::size_t>(shared);
    cuda::check(cudaStreamGetFlags(stream, &context_.nStreamFlags), "cudaStreamGetFlags");
  }

  void launch(const std::uint8_t* d_in, std::int16_t* d_out, int width, int height) override {
    const NppiSize size = {width, height};
    const NppStatus status = nppiGradientVectorSobelBorder_8u16s_C1R_Ctx(
        d_in, width, size, {0, 0}, nullptr, 0, nullptr, 0, d_out, width * static_cast<int>(sizeof(std::int16_t)),
        nullptr, 0, size, NPP_MASK_SIZE_3_X_3, nppiNormL1, NPP_BORDER_REPLICATE, context_);
    if (status != NPP_SUCCESS)
      throw Error(ErrorKind::internal, fmt::format("NPP's Sobel: error {}", static_cast<int>(status)));
  }

 private:
  NppStreamContext context_ = {};
};

}  // namespace

std::unique_ptr<VendorSobel> make_vendor_sobel(cudaStream_t stream) { return std::make_unique<NppSobel>(stream); }

}  // namespace kann::bench
