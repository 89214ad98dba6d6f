// A matrix by a vector in the versions of the paper on CUDA's programming techniques, beside cuBLAS.
#include "papers/matvec/measure_matvec.hpp"

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_matvec", "Table 6 of the paper on programming techniques for CUDA: matrix by vector");
  program.repeat = 7;
  bool check_only = false;
  program.option("--check", check_only, "compare with the CPU, and measure nothing");
  return program.run(argc, argv, [&](Report& report) {
    if (!program.on_cuda()) return report.skip("all products", program.no_cuda_reason());
    check_matvec(program, report);
    if (!check_only) measure_matvec(program, report);
  });
}
