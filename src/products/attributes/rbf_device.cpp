// Measured on an H200 and its host's 16 threads, 3-D, thin plate spline, degree 1, one attribute, ms:
//
//   queries, neighbours   2¹⁴, 16   2¹⁶, 16   2²⁰, 8   2²⁰, 16   2²⁰, 28   2²⁰, 40
//   CPU                   1.05      3.7       29       68        268       567
//   model                 1.05      4.2       15       67        275       716
//   CUDA, started         .46       1.2       18       24        42        116
#include "products/attributes/rbf_device.hpp"

#include "kann/error.hpp"

#include "cpu/interpolation/interpolate.hpp"
#include "cuda/backend.hpp"
#include "cuda/interpolation/backend.hpp"
#include "geometry/interpolation/shape.hpp"

namespace kann::attributes {
namespace {

using interpolation::RbfInput;
using interpolation::RbfValues;

/// The operations of all systems, but for a factor: LU takes 2/3 n³ of n rows.
double cubes_of_rows(const RbfInput& input) {
  const unsigned monomials = interpolation::monomials_of(input.options.degree, input.dimensions);
  const double rows = static_cast<double>(input.k) + interpolation::monomial_count(monomials);
  return static_cast<double>(input.query_count()) * rows * rows * rows;
}

double cpu_seconds(const RbfInput& input) { return cubes_of_rows(input) / (7.8e9 * input.threads); }

RbfValues by_first(int index, const RbfInput& input) {
  const bool is_cuda = cpu_seconds(input) > cuda::seconds_worth(index) && cuda::status(index).usable;
  if (is_cuda) try {
      return cuda::interpolate(input, index);
    } catch (const Error& e) {
      if (e.kind() != ErrorKind::resources) throw;  // memory, of which an index may have taken most
    }
  return cpu::interpolate(input);
}

}  // namespace

RbfValues interpolate_on(const DeviceChoice& device, const RbfInput& input) {
  if (device.kind == DeviceKind::cpu) return cpu::interpolate(input);
  if (device.kind == DeviceKind::automatic) return by_first(device.index, input);
  if (const CudaStatus status = cuda::status(device.index); !status.usable)
    throw Error(ErrorKind::no_device, "transfer: no CUDA device: " + status.reason + "; use the CPU");
  return cuda::interpolate(input, device.index);
}

}  // namespace kann::attributes
