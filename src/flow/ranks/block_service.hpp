// How rank 0 takes blocks that other ranks have, one after another.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "flow/ranks/communicator.hpp"

namespace kann::flow {

/// Returns what the rank `owner` makes of the request. Rank 0 calls it while all others are in serve_blocks(); it
/// blocks. @throws as Communicator::exchange().
template <class Request>
Bytes ask_for_block(Communicator& ranks, const Request& request, int owner) {
  ranks.gather_value(std::optional<Request>(request));
  std::vector<Bytes> sent = ranks.exchange(std::vector<Bytes>(static_cast<std::size_t>(ranks.size())));
  return std::move(sent[static_cast<std::size_t>(owner)]);
}

/// Lets all other ranks leave serve_blocks(). Rank 0 calls it.
template <class Request>
void end_block_service(Communicator& ranks) {
  if (!ranks.is_alone()) ranks.gather_value(std::optional<Request>());
}

/// Serves the requests of rank 0 until it ends the service: make(request) returns the bytes of a block, or none if the
/// block is not of this rank. All ranks but 0 call it; it blocks. @throws what make() throws, and as ask_for_block().
template <class Request, class Make>
void serve_blocks(Communicator& ranks, Make make) {
  while (const std::optional<Request> request = ranks.gather_value(std::optional<Request>()).front()) {
    std::vector<Bytes> to(static_cast<std::size_t>(ranks.size()));
    to.front() = make(*request);
    ranks.exchange(std::move(to));
  }
}

}  // namespace kann::flow
