// cuBLAS, loaded when the program runs: it also runs on machines that have only the driver.
#pragma once

#include <cublas_v2.h>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace kann::bench {

class Cublas {
 public:
  /// @throws std::runtime_error why it cannot be used.
  explicit Cublas(cudaStream_t stream) {
    const std::string name = "libcublas.so." + std::to_string(CUBLAS_VER_MAJOR);
    library_ = dlopen(name.c_str(), RTLD_NOW);
    if (!library_) throw std::runtime_error("no " + name + " on this machine");
    check(find<decltype(&cublasCreate_v2)>("cublasCreate_v2")(&handle_));
    check(find<decltype(&cublasSetStream_v2)>("cublasSetStream_v2")(handle_, stream));
    factorise_ = find<decltype(&cublasDgetrfBatched)>("cublasDgetrfBatched");
    solve_ = find<decltype(&cublasDgetrsBatched)>("cublasDgetrsBatched");
  }
  ~Cublas() {
    if (handle_) find<decltype(&cublasDestroy_v2)>("cublasDestroy_v2")(handle_);
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// Queues the solution of `count` systems of n rows, by columns, in place of one right-hand side each.
  void solve(int n, double* const* d_matrices, double* const* d_sides, int* d_pivots, int* d_infos, int count) const {
    check(factorise_(handle_, n, const_cast<double**>(d_matrices), n, d_pivots, d_infos, count));
    int info = 0;
    check(solve_(handle_, CUBLAS_OP_N, n, 1, d_matrices, n, d_pivots, const_cast<double**>(d_sides), n, &info, count));
  }

 private:
  template <class F>
  F find(const char* name) const {
    void* const function = dlsym(library_, name);
    if (!function) throw std::runtime_error(std::string("cuBLAS has no ") + name);
    return reinterpret_cast<F>(function);
  }
  static void check(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS)
      throw std::runtime_error("cuBLAS: status " + std::to_string(static_cast<int>(status)));
  }

  void* library_ = nullptr;  // never closed: it has threads
  cublasHandle_t handle_ = nullptr;
  decltype(&cublasDgetrfBatched) factorise_ = nullptr;
  decltype(&cublasDgetrsBatched) solve_ = nullptr;
};

}  // namespace kann::bench
