// The Sobel operator by the ways of the paper on CUDA's programming techniques, beside NPP.
#include "papers/sobel/measure_sobel.hpp"

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_sobel",
                  "Tables 4 and 5 of the paper on programming techniques for CUDA: Sobel of 4096 × 3072");
  program.repeat = 7;
  bool check_only = false;
  program.option("--check", check_only, "compare with the CPU, and measure nothing");
  return program.run(argc, argv, [&](Report& report) {
    if (!program.on_cuda()) return report.skip("all Sobel operators", program.no_cuda_reason());
    check_sobel(program, report);
    if (!check_only) measure_sobel(program, report);
  });
}
