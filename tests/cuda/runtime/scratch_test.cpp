// Memory for steps: from arrays that are not in use yet where it fits, else from the pool.
#include "cuda/runtime/scratch.hpp"

#include "cuda/gpu.hpp"

namespace kann {
namespace {

class Scratch : public test::GpuTest {};

TEST_F(Scratch, TakesFromBorrowedArraysWhatFitsAndTheRestFromThePool) {
  test::Device device;
  cuda::Pool pool(device.stream());
  const cuda::Buffer<int> small(pool, 100), large(pool, 1000);
  const std::int64_t before = pool.peak_bytes();
  cuda::Scratch scratch(pool);
  scratch.borrow(small);
  scratch.borrow(large);
  cuda::Scratch again = scratch;
  EXPECT_EQ(scratch.take<int>(100).data(), small.data());  // all of it
  const auto first = scratch.take<std::uint64_t>(200), second = scratch.take<std::uint64_t>(200);
  EXPECT_EQ(static_cast<void*>(first.data()), large.data());
  EXPECT_EQ(reinterpret_cast<std::byte*>(second.data()) - reinterpret_cast<std::byte*>(first.data()), 1792);
  EXPECT_EQ(pool.peak_bytes(), before);
  EXPECT_FALSE(scratch.has_borrowed<int>(200));
  EXPECT_EQ(scratch.take<int>(200).size(), 200);
  EXPECT_EQ(pool.peak_bytes(), before + 800);
  EXPECT_TRUE(again.has_borrowed<int>(1000));
  EXPECT_EQ(again.take<int>(1000).data(), large.data());
}

TEST_F(Scratch, WithoutBorrowedArraysTakesFromThePool) {
  test::Device device;
  cuda::Pool pool(device.stream());
  cuda::Scratch scratch(pool);
  EXPECT_FALSE(scratch.has_borrowed<int>(1));
  EXPECT_NE(scratch.take<int>(1000).data(), nullptr);
  EXPECT_EQ(pool.peak_bytes(), 4000);
}

TEST_F(Scratch, BuffersOfBorrowedMemoryDoNotOverlapAndAreAligned) {
  test::Device device;
  cuda::Pool pool(device.stream());
  const cuda::Buffer<std::byte> array(pool, 10000);
  cuda::Scratch scratch(pool);
  scratch.borrow(array);
  const std::byte* end = array.data();
  for (const std::int64_t size : {1, 255, 256, 257, 1000}) {
    ASSERT_TRUE(scratch.has_borrowed<std::byte>(size));
    const auto buffer = scratch.take<std::byte>(size);
    EXPECT_GE(buffer.data(), end) << size;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 256, 0u) << size;
    EXPECT_EQ(buffer.size(), size);
    end = buffer.data() + size;
  }
  EXPECT_LE(end, array.data() + array.size());
  EXPECT_EQ(pool.peak_bytes(), 10000);
}

}  // namespace
}  // namespace kann
