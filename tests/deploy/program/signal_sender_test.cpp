#include "deploy/program/signal_sender.hpp"
#include "net/child/server_mark.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>

namespace signal_sender_test {

using namespace troupe;
using namespace troupe::deploy;

constexpr pid_t self = 100;
constexpr uid_t own = 1000;

/// The process table: 50 supervises the gateway, 200 is its server with the child 201, and 300 is a shell of its user.
/// The previous gateway was 60, with the server 210, which left 310 behind.
const std::map<pid_t, pid_t> parents{{self, 50}, {50, 1},    {200, self}, {201, 200}, {300, 299},
                                     {299, 1},   {400, 399}, {60, 1},     {210, 60},  {310, 1}};

process_facts facts() {
  return {self,
          50,
          own,
          [](pid_t process) -> std::optional<pid_t> {
            if (process == 399)
              return 0; // hidden, because it belongs to another user
            const auto found = parents.find(process);
            return found == parents.end() ? std::nullopt : std::optional{found->second};
          },
          [](pid_t process) { return process == 310; },
          60};
}

std::string refusal_of(int code, pid_t process, uid_t user) {
  return why_may_not_order({code, process, user}, facts());
}

TEST(signal_sender, may_be_root_who_looks_after_the_gateway_or_its_user_elsewhere) {
  EXPECT_EQ(refusal_of(SI_USER, 7, 0), "");
  EXPECT_EQ(refusal_of(SI_USER, 50, own), "");
  EXPECT_EQ(refusal_of(SI_USER, 300, own), "");
  EXPECT_EQ(refusal_of(SI_USER, 400, own), "");
  EXPECT_EQ(refusal_of(SI_TKILL, self, own), "");
  EXPECT_EQ(refusal_of(SI_USER, 0, own), "") << "from outside the container";
}

TEST(signal_sender, is_no_process_of_a_server) {
  for (const pid_t process : {200, 201})
    EXPECT_EQ(refusal_of(SI_USER, process, own), "its sender is a process of a server");
}

TEST(signal_sender, is_no_process_of_a_server_of_the_gateway_before) {
  for (const pid_t process : {60, 210, 310})
    EXPECT_EQ(refusal_of(SI_USER, process, own), "its sender is a process of a server");
}

TEST(signal_sender, of_a_root_gateway_is_no_process_of_a_server_either) {
  auto all = facts();
  all.user = 0;
  EXPECT_EQ(why_may_not_order({SI_USER, 300, 0}, all), "");
  EXPECT_EQ(why_may_not_order({SI_USER, 201, 0}, all), "its sender is a process of a server");
}

TEST(signal_sender, is_not_believed_when_it_says_itself_who_it_is) {
  EXPECT_NE(refusal_of(SI_QUEUE, 7, 0), "");
  EXPECT_NE(refusal_of(SI_QUEUE, 300, own), "");
}

TEST(signal_sender, is_no_other_user) { EXPECT_NE(refusal_of(SI_USER, 7, 1001), ""); }

TEST(signal_sender, is_not_obeyed_when_it_has_ended) { EXPECT_NE(refusal_of(SI_USER, 999, own), ""); }

TEST(signal_sender, whose_parent_ends_meanwhile_is_looked_for_again) {
  auto all = facts();
  int asked = 0;
  all.parent_of = [&](pid_t process) -> std::optional<pid_t> {
    if (process == 500)
      return ++asked == 1 ? 501 : self;
    return std::nullopt;
  };
  EXPECT_EQ(why_may_not_order({SI_USER, 500, own}, all), "its sender is a process of a server");
}

TEST(signal_sender, is_found_by_proc) {
  const auto all = own_facts({0, net::lock_limit()});
  EXPECT_EQ(all.parent_of(all.self), all.parent);
  EXPECT_EQ(all.parent_of(all.parent).has_value(), true);
}

} // namespace signal_sender_test
