// Times of work on the device by CUDA events, for the programs of this folder.
#pragma once

#include "common/spread.hpp"
#include "cuda/runtime/stream.hpp"

namespace kann::bench {

/// Seconds of one call of queue(), which queues work on the stream: the mean of `batch` calls between two events, so
/// that the resolution of an event, about a microsecond, does not count in short work. Blocks.
template <class F>
double device_seconds(const cuda::Stream& stream, int batch, F&& queue) {
  cuda::Event begin, end;
  begin.record(stream);
  for (int i = 0; i < batch; ++i) queue();
  end.record(stream);
  stream.synchronize();
  return end.seconds_since(begin) / batch;
}

/// The spread of at least `repeat` such times, after a warm-up.
template <class F>
Spread time_on_device(const cuda::Stream& stream, int repeat, int batch, F&& queue) {
  return measure(repeat, [&] { return device_seconds(stream, batch, queue); });
}

}  // namespace kann::bench
