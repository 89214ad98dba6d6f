// How tests of device code launch their kernels, and run for several sizes that are known when they are compiled.
#pragma once

#include <type_traits>
#include <utility>

#include "cuda/gpu.hpp"

namespace kann::test {

/// Queues a kernel on the stream of `device`. For a buffer among the arguments, the kernel gets its memory.
template <class... Parameters, class... Arguments>
void launch(const Device& device, std::int64_t blocks, std::int64_t threads, void (*kernel)(Parameters...),
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

/// Sizes as the types of a typed suite.
template <int... sizes>
using Sizes = testing::Types<std::integral_constant<int, sizes>...>;

/// Calls f with each size, as a constant.
template <int... sizes, class F>
void for_sizes(F f) {
  (f(std::integral_constant<int, sizes>()), ...);
}

}  // namespace kann::test
