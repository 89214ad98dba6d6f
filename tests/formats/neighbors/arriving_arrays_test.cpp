// Whatever arrives when, the sections are written whole, in their order, each value once.
#include "formats/neighbors/arriving_arrays.hpp"

#include <gtest/gtest.h>
#include <string>

#include "formats/write_support.hpp"

namespace kann::formats {

using namespace test;

namespace {

using Of = ArraySection::Of;

/// Notes what is written: "(" where a section begins, then a letter per value.
class Notes {
 public:
  ArraySection section(Of array) {
    return {array, [this] { text_ += '('; },
            [this, array](std::span<const std::byte> bytes) {
              EXPECT_FALSE(bytes.empty());
              EXPECT_EQ(bytes.size() % 4, 0);
              text_.append(bytes.size() / 4, array == Of::ids ? 'i' : 'd');
              bytes_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            }};
  }
  const std::string& text() const { return text_; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string text_, bytes_;
};

TEST(ArrivingArrays, WriteWhatIsThereInTheOrderOfTheFormat) {
  const Neighbors n = sample_neighbors(4, 2);
  Notes notes;
  ArrivingArrays arrays({notes.section(Of::ids), notes.section(Of::distances)});
  arrays.write(n, 0, 0);
  EXPECT_EQ(notes.text(), "(");
  arrays.write(n, 3, 0);
  EXPECT_EQ(notes.text(), "(iii");
  arrays.write(n, 3, 5);  // distances that are there before their turn
  EXPECT_EQ(notes.text(), "(iii");
  arrays.write(n, 8, 5);
  EXPECT_EQ(notes.text(), "(iiiiiiii(ddddd");
  arrays.write(n, 8, 8);
  EXPECT_EQ(notes.text(), "(iiiiiiii(dddddddd");
  arrays.write(n, 8, 8);
  EXPECT_EQ(notes.text(), "(iiiiiiii(dddddddd");
}

TEST(ArrivingArrays, OfNoValuesBeginAllTheSame) {
  const Neighbors n = sample_neighbors(0, 8);
  Notes notes;
  ArrivingArrays({notes.section(Of::ids), notes.section(Of::distances)}).write(n, 0, 0);
  EXPECT_EQ(notes.text(), "((");
}

TEST(ArrivingArrays, AreWrittenOnceEachInAnyPieces) {
  const Neighbors n = sample_neighbors(50, 3);
  std::string want(reinterpret_cast<const char*>(n.ids.data()), 4 * n.ids.size());
  want.append(reinterpret_cast<const char*>(n.distances.data()), 4 * n.distances.size());
  Random r(3);
  for (int repetition = 0; repetition < 100; ++repetition) {
    Notes notes;
    ArrivingArrays arrays({notes.section(Of::ids), notes.section(Of::distances)});
    for (std::int64_t ids = 0, distances = 0; ids < 150 || distances < 150;) {
      ids = std::min<std::int64_t>(150, ids + static_cast<std::int64_t>(r.below(40)));
      distances = std::min<std::int64_t>(150, distances + static_cast<std::int64_t>(r.below(40)));
      arrays.write(n, ids, distances);
    }
    EXPECT_TRUE(notes.bytes() == want);
  }
}

}  // namespace
}  // namespace kann::formats
