// How tests of device code launch their kernels, and run for several sizes that are known when they are compiled.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda/gpu.hpp"

namespace kann::test {

/// Queues a kernel on the stream of `device`. For a buffer among the arguments, the kernel gets its memory.
template <class... Parameters, class... Arguments>
void launch(const DeviceMemory& device, std::int64_t blocks, std::int64_t threads, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
  const auto passed = [](const auto& argument) {
    if constexpr (requires { argument.data(); }) {
      return argument.data();
    } else {
      return argument;
    }
  };
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), 0, device.stream()>>>(passed(arguments)...);
  cuda::check_launch("the kernel of a test");
}

/// A vector as a copy on the device, and anything else as it is.
template <class T>
cuda::Buffer<T> brought(const Device& device, const std::vector<T>& values) {
  return device.upload(values);
}
template <class T>
T brought(const Device&, const T& value) {
  return value;
}

/// The `size` values that a kernel writes to its last argument. It gets copies of vectors among the others.
template <class... Parameters, class... Arguments>
auto results_of(std::int64_t size, std::int64_t blocks, std::int64_t threads, void (*kernel)(Parameters...),
                const Arguments&... arguments) {
  using Pointer = std::tuple_element_t<sizeof...(Parameters) - 1, std::tuple<Parameters...>>;
  Device device;
  const auto d_results = device.poisoned<std::remove_pointer_t<Pointer>>(size);
  launch(device, blocks, threads, kernel, brought(device, arguments)..., d_results);
  return device.download(d_results);
}

/// Sizes as the types of a typed suite.
template <int... sizes>
using Sizes = testing::Types<std::integral_constant<int, sizes>...>;

/// Calls f with each size, as a constant.
template <int... sizes, class F>
void for_sizes(F f) {
  (f(std::integral_constant<int, sizes>()), ...);
}

}  // namespace kann::test
