// The CUDA backend of a build without nvcc.
#include "kann/device_buffer.hpp"
#include "kann/error.hpp"

#include "cuda/backend.hpp"
#include "cuda/clusters/backend.hpp"
#include "cuda/device_index.hpp"
#include "cuda/interpolation/backend.hpp"

namespace kann::cuda {

bool is_built() { return false; }

CudaStatus status(int) { return {false, "built without CUDA" KANN_CUDA_HINT}; }

int device_count() { return 0; }

bool has_started(int) { return false; }

void make_staging(int) {}

[[noreturn]] static void refuse() { throw Error(ErrorKind::internal, "a build without CUDA was asked to use it"); }

DeviceTraits traits(int) { refuse(); }

Answer solve(const Problem&, int, Neighbors) { refuse(); }

struct Index::State {};
Index::Index(int) {}
Index::~Index() = default;
Answer Index::solve(const Problem&, Neighbors) { refuse(); }
void Index::queue(Problem, const problem::PreparedData&, const DeviceQueries&) { refuse(); }

struct DeviceIndex::State {};
DeviceIndex::DeviceIndex(const PointsView&, const DeviceIndexOptions&) { refuse(); }
DeviceIndex::~DeviceIndex() = default;
const problem::SurveyedData& DeviceIndex::data() const { refuse(); }
void DeviceIndex::queue(Problem, const DeviceQueries&) { refuse(); }

interpolation::RbfValues interpolate(const interpolation::RbfInput&, int) { refuse(); }

std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule&, bool, int) { refuse(); }

}  // namespace kann::cuda

namespace kann {

DeviceBuffer::DeviceBuffer(std::size_t, int device) : device_(device) {
  throw Error(ErrorKind::no_device, "no CUDA device (" + cuda::status(device).reason + ")");
}
DeviceBuffer::~DeviceBuffer() = default;
int device_of(const void*) { return -1; }
void wait_for(CUstream_st*, int) { cuda::refuse(); }
void copy_to_host(const void*, std::size_t, void*, CUstream_st*, int) { cuda::refuse(); }

}  // namespace kann
