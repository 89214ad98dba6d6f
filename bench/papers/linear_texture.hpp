// One-dimensional textures of arrays in device memory, read as elements, without filtering.
#pragma once

#include <type_traits>

#include "cuda/runtime/buffer.hpp"

namespace kann::bench {

/// Owns a texture object. T is float or an unsigned integer of at most 32 bits; the buffer has at most 2²⁸ elements and
/// must outlive the texture.
template <class T>
class LinearTexture {
 public:
  explicit LinearTexture(const cuda::Buffer<T>& elements) {
    constexpr auto kind = std::is_floating_point_v<T> ? cudaChannelFormatKindFloat : cudaChannelFormatKindUnsigned;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = elements.data();
    resource.res.linear.desc = cudaCreateChannelDesc(8 * sizeof(T), 0, 0, 0, kind);
    resource.res.linear.sizeInBytes = static_cast<std::size_t>(elements.size()) * sizeof(T);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cuda::check(cudaCreateTextureObject(&texture_, &resource, &description, nullptr), "cudaCreateTextureObject");
  }
  ~LinearTexture() { cudaDestroyTextureObject(texture_); }
  LinearTexture(const LinearTexture&) = delete;
  LinearTexture& operator=(const LinearTexture&) = delete;

  operator cudaTextureObject_t() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
};

}  // namespace kann::bench
