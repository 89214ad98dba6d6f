// Clusters on a GPU in a build without nvcc.
#include "kann/error.hpp"

#include "cuda/clusters/backend.hpp"

namespace kann::cuda {

std::unique_ptr<problem::ClusterDevice> cluster_device(const problem::ClusterRule&, bool, int,
                                                       std::shared_ptr<Staging>) {
  throw Error(ErrorKind::internal, "a build without CUDA was asked to use it");
}

}  // namespace kann::cuda
