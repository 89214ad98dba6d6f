// The processes that mpirun or srun has started together, as ranks of one search.
#pragma once

#include <memory>

#include "flow/ranks/communicator.hpp"

namespace kann::mpi {

/// Whether the program was built with MPI.
bool is_available();

/// The ranks of this run: this process alone if no MPI launcher has started it together with others, or if the program
/// was built without MPI. Else MPI is started, and ends when the result is destroyed: once in a process. Blocks until
/// all ranks have called it. @throws Error resources.
std::unique_ptr<flow::Communicator> connect();

}  // namespace kann::mpi
