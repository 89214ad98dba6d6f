#include "flow/ranks/mpi/launch.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kann::mpi {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// read_launch() in an environment that has these variables of launchers, and no others.
Launch launch_with(const Variables& variables) {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMIX_NAMESPACE", "PMI_RANK", "PMI_SIZE",
                           "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS", "SLURM_HET_SIZE"})
    unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  return read_launch();
}

void expect(const Variables& variables, bool has_mpi, int processes, bool needs_mpi) {
  const Launch launch = launch_with(variables);
  EXPECT_EQ(launch.has_mpi, has_mpi);
  EXPECT_EQ(launch.processes, processes);
  EXPECT_EQ(launch.needs_mpi(), needs_mpi);
}

Variables both(Variables outer, const Variables& inner) {
  outer.insert(outer.end(), inner.begin(), inner.end());  // the inner one's values are set last
  return outer;
}

const Variables k_mpirun = {{"OMPI_COMM_WORLD_SIZE", "3"}, {"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "1594294273"}};
const Variables k_mpiexec = {{"PMI_RANK", "0"}, {"PMI_SIZE", "3"}, {"MPI_LOCALNRANKS", "3"}};
const Variables k_pmix_step = {{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "slurm.pmix.7.0"}, {"SLURM_STEP_NUM_TASKS", "3"}};
const Variables k_pmix_shell = {
    {"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "slurm.pmix.7.0"}, {"SLURM_STEP_NUM_TASKS", "1"}};
const Variables k_pmi_shell = {{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}, {"SLURM_STEP_NUM_TASKS", "1"}};

TEST(Launch, AProcessWithoutALauncherIsAlone) { expect({}, false, 0, false); }

TEST(Launch, ALauncherOfMpiSaysHowManyProcessesItStarts) {
  expect(k_mpirun, true, 3, true);
  expect(k_mpiexec, true, 3, true);
  expect(k_pmix_step, true, 3, true);
  expect({{"PMIX_RANK", "0"}, {"PMIX_NAMESPACE", "prterun-7"}}, true, 0, true);
  expect({{"MPI_LOCALNRANKS", "3"}}, true, 0, true);
}

TEST(Launch, OneProcessNeedsNoMpi) {
  expect({{"OMPI_COMM_WORLD_SIZE", "1"}}, true, 1, false);
  expect({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}, true, 1, false);
  expect(k_pmix_shell, true, 1, false);
}

TEST(Launch, ALauncherInAShellOfSrunCounts) {
  expect(both(k_pmix_shell, k_mpirun), true, 3, true);
  expect(both(k_pmi_shell, k_mpirun), true, 3, true);
  expect(both(k_pmi_shell, k_mpiexec), true, 3, true);
  expect(both(k_pmix_shell, k_mpiexec), true, 0, true);
  expect(both(k_pmi_shell, k_pmix_step), true, 0, true);
}

TEST(Launch, APartOfAHeterogeneousJobMayBeOneOfSeveral) {
  expect(both(k_pmix_shell, {{"SLURM_HET_SIZE", "2"}}), true, 0, true);
}

TEST(Launch, ProcessesOfAScriptUnderSrunAreIndependent) {  // as this one's parent is not srun
  expect({{"SLURM_STEP_NUM_TASKS", "3"}}, false, 0, false);
}

TEST(Launch, AVariableThatIsNoNumberIsOfAnUnknownCount) {
  expect({{"OMPI_COMM_WORLD_SIZE", "many"}}, true, 0, true);
  expect({{"PMI_SIZE", ""}}, true, 0, true);
}

}  // namespace
}  // namespace kann::mpi
