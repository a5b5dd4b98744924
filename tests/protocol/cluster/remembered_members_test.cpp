// Members that a node remembers across a restart: which, and what it does with them.

#include "protocol/cluster/remembered_members.hpp"
#include "tests/support/membership_driver.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace troupe::tests::remembered_members_test {

namespace {

using memory = std::optional<names>;

names addresses_of(const std::string& nodes) {
  names result;
  for (auto one : nodes)
    result.push_back(address_of(one));
  return result;
}

membership_options remembering(std::optional<std::string> nodes, names seeds = {}) {
  auto result = options_of('m', std::move(seeds));
  result.alone = 2s;
  result.remembers = true;
  if (nodes)
    result.remembered = addresses_of(*nodes);
  return result;
}

/// Node m after a restart. It remembers the nodes with these letters; nothing on its first start.
struct restarted {
  explicit restarted(std::optional<std::string> nodes, names seeds = {})
      : it{remembering(std::move(nodes), std::move(seeds)), 1, now} {}

  std::optional<std::string> keeps() {
    auto all = it.next_remembered(now);
    if (!all)
      return std::nullopt;
    std::string result;
    for (auto& one : *all)
      result += one.substr(std::string_view{"10.0.0."}.size(), 1);
    return result;
  }
  void meets(char name, link_id link) {
    it.offered(link, {}, card_of(name), now);
    it.greeted(link, hello_of(name), now);
  }
  membership_effects after(std::chrono::milliseconds time) { return it.tick(now += time); }

  time_point now = member::at();
  membership it;
};

const std::optional<std::string> nothing;

} // namespace

// -- what is kept ----------------------------------------------------------------------------

TEST(remembered_members, are_written_when_they_change_and_at_most_once_a_second) {
  remembered_members all{std::nullopt};
  auto now = member::at();
  EXPECT_EQ(all.next(now), memory{names{}});
  all.joined(address_of('a'));
  EXPECT_EQ(all.deadline(), now + 1s);
  EXPECT_EQ(all.next(now + 999ms), memory{});
  EXPECT_EQ(all.next(now + 1s), memory{addresses_of("a")});
  EXPECT_EQ(all.deadline(), time_point::max());
  all.joined(address_of('a'));
  EXPECT_EQ(all.next(now + 5s), memory{});
  all.left(address_of('a'));
  EXPECT_EQ(all.next(now + 5s), memory{names{}});
}

TEST(remembered_members, have_a_limit_and_leave_out_what_is_no_address) {
  remembered_members all{names{}};
  all.joined("a\nb:1");
  all.joined("a:0");
  EXPECT_EQ(all.next(member::at()), memory{});
  for (std::size_t i = 0; i <= remembered_members::most; ++i)
    all.joined("node-" + std::to_string(i) + ":1");
  EXPECT_EQ(all.next(member::at())->size(), remembered_members::most);
}

TEST(remembered_members, lack_only_nodes_that_left_in_order_or_are_forgotten) {
  restarted m{""};
  m.it.begin(m.now);
  EXPECT_EQ(m.keeps(), nothing);
  m.meets('a', 1);
  m.meets('b', 2);
  EXPECT_EQ(m.keeps(), "ab");
  m.it.link_lost(1, m.now, true);
  m.it.link_lost(2, m.now);
  m.after(1s);
  EXPECT_EQ(m.keeps(), "b");
  for (int i = 0; i < 58; ++i) {
    m.it.dial_failed(address_of('b'), "refused", {}, m.now, true);
    EXPECT_EQ(m.keeps(), nothing);
    m.after(1s);
  }
  m.it.dial_failed(address_of('b'), "refused", {}, m.now, true);
  m.after(2s);
  EXPECT_EQ(m.keeps(), "");
}

TEST(remembered_members, are_not_written_before_the_node_knows_the_others) {
  restarted m{nothing};
  m.it.begin(m.now);
  m.after(1999ms);
  EXPECT_EQ(m.keeps(), nothing);
  m.after(1ms);
  EXPECT_EQ(m.keeps(), "");
}

TEST(remembered_members, are_not_kept_without_a_place) {
  member m;
  m.begin(m.now);
  m.meets('a', 1);
  EXPECT_EQ(m.next_remembered(m.now), memory{});
}

// -- after a restart -------------------------------------------------------------------------

TEST(remembered_members, are_called_at_once_and_waited_for) {
  restarted m{"az", {address_of('m')}};
  EXPECT_EQ(dialled(m.it.begin(m.now)), addresses_of("az"));
  m.it.looked_up(address_of('m'), {address_of('m')}, m.now);
  EXPECT_FALSE(m.it.settled());
  m.meets('a', 1);
  EXPECT_FALSE(m.it.settled());
  m.it.dial_failed(address_of('z'), "refused", {}, m.now, true);
  EXPECT_TRUE(m.it.settled());
  EXPECT_EQ(m.keeps(), nothing);
}

TEST(remembered_members, that_all_refuse_leave_the_node_alone_at_once) {
  restarted m{"a"};
  m.it.begin(m.now);
  m.it.dial_failed(address_of('a'), "refused", {}, m.now, true);
  EXPECT_TRUE(m.it.settled());
}

TEST(remembered_members, are_not_waited_for_longer_than_other_nodes) {
  restarted m{"a"};
  m.it.begin(m.now);
  m.after(4999ms);
  EXPECT_FALSE(m.it.settled());
  m.after(1ms);
  EXPECT_TRUE(m.it.settled());
}

TEST(remembered_members, say_that_a_node_was_alone_which_does_not_wait_to_be_found) {
  restarted m{"", {address_of('m')}};
  m.it.begin(m.now);
  m.it.looked_up(address_of('m'), {address_of('m')}, m.now);
  EXPECT_TRUE(m.it.settled());
}

// -- the text --------------------------------------------------------------------------------

TEST(members_text, is_read_as_it_was_written) {
  for (auto& all : {names{}, names{"10.0.0.1:7946"}, names{"node-2.cluster:7946", "[::1]:1"}})
    EXPECT_EQ(std::get<names>(read_members(members_text("m", all), "m")), all);
  EXPECT_EQ(members_text("m", {"a:1"}), "troupe-members 1 m\na:1\n");
}

TEST(members_text, is_refused_with_the_number_of_its_first_wrong_line) {
  auto wrong_line = [](const std::string& text) { return std::get<std::size_t>(read_members(text, "m")); };
  EXPECT_EQ(wrong_line(""), 1u);
  EXPECT_EQ(wrong_line("troupe-members 1 m"), 1u);
  EXPECT_EQ(wrong_line("troupe-members 2 m\n"), 1u);
  EXPECT_EQ(wrong_line("troupe-members 1 n\na:1\n"), 1u);
  EXPECT_EQ(wrong_line("troupe-members 1 m\na:1\nb:1"), 3u);
  EXPECT_EQ(wrong_line("troupe-members 1 m\na:1\n\n"), 3u);
  EXPECT_EQ(wrong_line("troupe-members 1 m\na:0\n"), 2u);
  EXPECT_EQ(wrong_line("troupe-members 1 m\na b:1\n"), 2u);
}

TEST(members_text, has_a_limit) {
  names all(remembered_members::most, "a:1");
  EXPECT_EQ(std::get<names>(read_members(members_text("m", all), "m")).size(), all.size());
  all.push_back("a:1");
  EXPECT_EQ(std::get<std::size_t>(read_members(members_text("m", all), "m")), all.size() + 1);
}

} // namespace troupe::tests::remembered_members_test
