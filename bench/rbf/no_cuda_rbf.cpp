#include "rbf/device_rbf.hpp"

namespace kann::bench {

DeviceTimes measure_on_device(const interpolation::RbfInput&, int) { return {}; }

}  // namespace kann::bench
