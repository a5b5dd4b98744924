// Detection that only this node has lost the store.

#include "protocol/cluster/store_contact.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::store_contact_test {

using namespace protocol;
using namespace std::chrono_literals;

namespace {

constexpr auto patience = 15s;

struct contact : store_contact {
  contact() : store_contact{patience} {}

  bool sees(bool own_runs, bool another_runs, std::chrono::milliseconds at) {
    return update(own_runs, another_runs, time_point{1h} + at);
  }
};

} // namespace

TEST(store_contact, is_cut_off_when_anothers_tenure_runs_for_as_long_as_is_waited_while_its_own_does_not) {
  contact one;
  EXPECT_FALSE(one.sees(false, true, 0s));
  EXPECT_FALSE(one.sees(false, true, patience - 1ms));
  EXPECT_FALSE(one.is_cut_off());
  EXPECT_TRUE(one.sees(false, true, patience));
  EXPECT_TRUE(one.is_cut_off());
  EXPECT_FALSE(one.sees(false, true, patience + 1ms)) << "that is no news";
}

TEST(store_contact, is_cut_off_no_more_when_its_own_tenure_runs_or_no_others_does) {
  for (auto own : {true, false}) {
    contact one;
    one.sees(false, true, 0s);
    one.sees(false, true, patience);
    EXPECT_TRUE(one.sees(own, own, patience + 1s));
    EXPECT_FALSE(one.is_cut_off());
  }
}

TEST(store_contact, begins_to_wait_anew_whenever_it_is_otherwise) {
  for (auto own : {true, false}) {
    contact one;
    one.sees(false, true, 0s);
    one.sees(own, own, 1s);
    one.sees(false, true, 2s);
    EXPECT_FALSE(one.sees(false, true, 2s + patience - 1ms));
    EXPECT_TRUE(one.sees(false, true, 2s + patience));
  }
}

} // namespace troupe::tests::store_contact_test
