// --by: one method for all names of --transfer, one for each, or some by name.
#include "cli/options/transfer_by.hpp"

#include "options_fixture.hpp"

namespace kann::cli {
namespace {

using enum TransferMethod;

class TransferByTest : public OptionsTest {
 protected:
  static Options parse_by(const char* transfer, const char* by) {
    return parse(with_data({"--transfer", transfer, "--by", by}));
  }
  static std::string refusal(const char* transfer, const char* by) {
    return message(with_data({"--transfer", transfer, "--by", by}));
  }
  /// "rbf", "vote!": the methods of the names, with a mark where it was said of this name.
  static std::string methods(const Options& o) {
    std::string words;
    for (std::size_t i = 0; i < o.transfer.size(); ++i) {
      const AskedMethod asked = asked_method(o.transfer_by, o.transfer[i], i);
      constexpr const char* names[] = {"nearest", "mean", "idw", "vote", "rbf"};
      words += (i ? " " : "") + std::string(names[static_cast<int>(asked.method)]) + (asked.is_for_others ? "" : "!");
    }
    return words;
  }
};

TEST_F(TransferByTest, OneIsForAllAndAListForEach) {
  EXPECT_EQ(methods(parse(with_data({"--transfer", "a,b"}))), "nearest nearest");
  EXPECT_EQ(methods(parse_by("a,b", "mean")), "mean mean");
  EXPECT_EQ(methods(parse_by("a", "mean")), "mean");
  EXPECT_EQ(methods(parse_by("a,b,c", "mean,vote,mean")), "mean! vote! mean!");
}

TEST_F(TransferByTest, NamesMayHaveTheirOwnBesideOneForTheOthers) {
  EXPECT_EQ(methods(parse_by("a,b,c", "b=vote")), "nearest vote! nearest");
  EXPECT_EQ(methods(parse_by("a,b,c", "idw,b=vote")), "idw vote! idw");
  EXPECT_EQ(methods(parse_by("a,b,c", "c=rbf, idw ,b=vote")), "idw vote! rbf!");
  EXPECT_EQ(methods(parse_by("a,b", "a=rbf,b=rbf")), "rbf! rbf!");
  EXPECT_EQ(methods(parse_by("a=b,5", "a=b=mean,5=idw")), "mean! idw!");
}

TEST_F(TransferByTest, WhatIsForNoNameIsRefused) {
  EXPECT_EQ(refusal("depth,class", "depht=rbf"),
            "--by: no 'depht' among the names of --transfer (depth, class); did you mean 'depth'?");
  EXPECT_EQ(refusal("depth,class", "CLASS=rbf"),
            "--by: no 'CLASS' among the names of --transfer (depth, class); did you mean 'class'?");
  EXPECT_EQ(refusal("depth", "colour=rbf"), "--by: no 'colour' among the names of --transfer (depth)");
  EXPECT_EQ(refusal("a,b", "a=rbf,a=vote"), "--by names 'a' twice");
  EXPECT_EQ(refusal("a,b", "rbf,idw,a=vote"),
            "--by has 2 methods without a name beside NAME=METHOD; give one, for all other names");
  EXPECT_EQ(refusal("a,b,c", "rbf,idw"), "--by has 2 methods for 3 names of --transfer; give one, or one for each");
  EXPECT_EQ(refusal("a,b", "a=rfb"), "--by a=METHOD expects nearest, mean, idw, vote or rbf, got 'rfb'");
  EXPECT_EQ(refusal("a,b", "=rbf"), "--by expects METHOD or NAME=METHOD, between commas, got '=rbf'");
  EXPECT_EQ(message(with_data({"--by", "a=rbf"})), "--by needs --transfer NAME");
}

/// What --by rbf brings and excludes, so does --by NAME=rbf.
TEST_F(TransferByTest, RbfOfOneNameIsRbf) {
  EXPECT_EQ(message(with_data({"--transfer", "a,b", "--by", "a=rbf", "--rbf", "degree=2"})), "no error");
  EXPECT_EQ(message(with_data({"--transfer", "a,b", "--by", "a=rbf", "-k", "65"})),
            "--by rbf takes at most 64 neighbours: --k 64");
}

}  // namespace
}  // namespace kann::cli
