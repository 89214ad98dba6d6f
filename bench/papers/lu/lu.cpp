// LU factorisation with partial pivoting as the LU paper has it, element by element, beside cuSOLVER.
#include "papers/lu/measure_lu.hpp"

int main(int argc, char** argv) {
  using namespace kann::bench;
  Program program("bench_lu", "LU paper, figures 6 and 7: LU factorisation in one block and on the whole grid");
  program.repeat = 7;
  LuSettings settings;
  bool check_only = false;
  program.option("--max-n", settings.max_n, "largest matrix");
  program.option("--limit-ms", settings.limit_ms, "skip a case of one block that takes longer, by its smaller sizes");
  program.option("--check", check_only, "compare with the CPU, and measure nothing");
  return program.run(argc, argv, [&](Report& report) {
    if (!program.on_cuda()) return report.skip("all factorisations", program.no_cuda_reason());
    check_lu(program, report);
    if (!check_only) measure_lu(program, settings, report);
  });
}
