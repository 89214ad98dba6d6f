// Without MPI.
#include "flow/ranks/mpi/world.hpp"

namespace kann::mpi {

bool is_available() { return false; }

std::unique_ptr<flow::Communicator> connect() { return std::make_unique<flow::Alone>(); }

}  // namespace kann::mpi
