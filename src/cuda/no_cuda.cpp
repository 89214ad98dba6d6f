// The CUDA backend of a build without nvcc.
#include "kann/error.hpp"

#include "cuda/backend.hpp"

namespace kann::cuda {

CudaStatus status(int) { return {false, "built without CUDA"}; }

int device_count() { return 0; }

bool has_started(int) { return false; }

std::shared_ptr<Staging> make_staging(int) { return nullptr; }

namespace {

[[noreturn]] void refuse() { throw Error(ErrorKind::internal, "a build without CUDA was asked to use it"); }

}  // namespace

DeviceTraits traits(int) { refuse(); }

Answer solve(const Problem&, int, Prewarmed) { refuse(); }

struct Index::State {};
Index::Index(int) {}
Index::~Index() = default;
Answer Index::solve(const Problem&, Prewarmed) { refuse(); }
void Index::queue(const Problem&, const problem::PreparedData&, const DeviceQueries&) { refuse(); }

}  // namespace kann::cuda
