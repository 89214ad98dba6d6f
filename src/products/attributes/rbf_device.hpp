// The device that solves the systems of radial basis functions.
#pragma once

#include "kann/device.hpp"

#include "geometry/interpolation/rbf_input.hpp"

namespace kann::attributes {

/// cpu::interpolate() or cuda::interpolate(), whose bytes are the same. DeviceKind::automatic takes the one that is
/// expected to end first, and the CPU where the device has no memory left. Blocks.
/// @throws Error no_device, resources, internal.
interpolation::RbfValues interpolate_on(const DeviceChoice& device, const interpolation::RbfInput& input);

}  // namespace kann::attributes
