// Limits on the connections of each address.

#include "net/server/admission.hpp"
#include "tests/support/plain_get.hpp"
#include "tests/support/test_listener.hpp"

namespace troupe::tests::connections_by_address_test {

using namespace net;

namespace {

const std::string here = "192.0.2.1";
const std::string there = "192.0.2.2";

/// Addresses that end in 9 have no limit.
std::shared_ptr<connections_by_address> at_most(std::size_t connections) {
  return std::make_shared<connections_by_address>(
      connections, [](const std::string& from) { return from.ends_with('9') ? std::string{} : from; });
}

class connections_by_address_test : public tidy_test {};

} // namespace

TEST_F(connections_by_address_test, are_as_many_as_they_may_be_and_no_more) {
  auto all = at_most(2);
  auto first = all->add(here);
  auto second = all->add(here);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(all->add(here));
  EXPECT_TRUE(all->add(there)) << "others have their own";
  second.reset();
  second = all->add(here);
  EXPECT_TRUE(second);
  EXPECT_FALSE(all->add(here));
}

TEST_F(connections_by_address_test, are_forgotten_with_the_last_one) {
  auto all = at_most(1);
  auto one = all->add(here);
  auto other = all->add(there);
  EXPECT_EQ(all->size(), 2u);
  one.reset();
  EXPECT_EQ(all->size(), 1u);
  other.reset();
  EXPECT_EQ(all->size(), 0u);
}

TEST_F(connections_by_address_test, are_not_counted_where_there_is_no_limit) {
  auto all = at_most(1);
  auto one = all->add("192.0.2.9");
  auto two = all->add("192.0.2.9");
  EXPECT_TRUE(one && two);
  EXPECT_EQ(all->size(), 0u);
}

TEST_F(connections_by_address_test, are_refused_with_a_status_until_another_one_is_closed) {
  auto answer = [](exchange& one) { one.respond(text_answer("fine")); };
  test_listener at{{}, answer, 2, std::numeric_limits<std::size_t>::max(), at_most(2)};
  tcp_client first{at.port()};
  auto second = std::make_unique<tcp_client>(at.port());
  for (auto* one : {&first, second.get()}) {
    one->send(plain_get);
    EXPECT_EQ(one->status(), 200);
  }
  tcp_client third{at.port()};
  EXPECT_EQ(third.status(), 429);
  EXPECT_TRUE(third.sees_the_end());
  second.reset();
  auto is_served = false;
  EXPECT_TRUE(eventually([&] {
    tcp_client fourth{at.port()};
    fourth.send(plain_get);
    return is_served = is_served || fourth.status() == 200;
  }));
}

} // namespace troupe::tests::connections_by_address_test
