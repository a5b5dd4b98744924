#include "net/write_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/beast/core/buffers_to_string.hpp>

namespace troupe::tests::write_queue_test {

using namespace net;

namespace {

/// A stand-in for a socket that accepts a limited number of bytes.
class fake_socket {
public:
  explicit fake_socket(std::size_t most) : most_{most} {}

  template <class Buffers>
  std::size_t write_some(const Buffers& what, boost::system::error_code& error) {
    ++writes_;
    auto all = boost::beast::buffers_to_string(what);
    taken_ += all.substr(0, most_);
    if (most_ == 0)
      error = boost::asio::error::would_block;
    return std::min(most_, all.size());
  }

  const std::string& taken() const { return taken_; }
  int writes() const { return writes_; }

private:
  std::size_t most_;
  std::string taken_;
  int writes_ = 0;
};

template <class Buffers>
std::string text_of(const Buffers& what) {
  std::string result;
  for (auto one = boost::asio::buffer_sequence_begin(what); one != boost::asio::buffer_sequence_end(what); ++one)
    result.append(static_cast<const char*>(boost::asio::const_buffer{*one}.data()),
                  boost::asio::const_buffer{*one}.size());
  return result;
}

void fill(write_queue& queue, std::initializer_list<const char*> texts) {
  for (auto one : texts)
    queue.add(one);
}

/// Tests both sides of the limit: n bytes exceed limits below n, and no others.
#define EXPECT_BYTES(exceeds, n)                                                                                       \
  EXPECT_TRUE(exceeds((n)-1));                                                                                         \
  EXPECT_FALSE(exceeds(n));                                                                                            \
  EXPECT_FALSE(exceeds((n) + 1))

} // namespace

TEST(write_queue, writes_all_that_waits_at_once_in_order) {
  write_queue queue;
  fake_socket to{100};
  fill(queue, {"head ", "", "body ", "more"});
  EXPECT_FALSE(queue.begin_at_once(to));
  EXPECT_EQ(to.taken(), "head body more");
  EXPECT_EQ(to.writes(), 1);
  EXPECT_TRUE(queue.is_empty());
}

TEST(write_queue, joins_texts_that_are_short_both) {
  constexpr auto most = write_queue::longest_joined;
  auto buffers_of = [](std::size_t first, std::size_t second) {
    write_queue queue;
    fake_socket to{0};
    queue.add(std::string(first, 'x'));
    queue.add(std::string(second, 'y'));
    auto rest = queue.begin_at_once(to);
    EXPECT_EQ(text_of(*rest), std::string(first, 'x') + std::string(second, 'y'));
    return std::distance(rest->begin(), rest->end());
  };
  EXPECT_EQ(buffers_of(most - 1, most), 1);
  EXPECT_EQ(buffers_of(most, most - 1), 1);
  EXPECT_EQ(buffers_of(most, most), 1);
  EXPECT_EQ(buffers_of(most + 1, 1), 2);
  EXPECT_EQ(buffers_of(1, most + 1), 2);
}

TEST(write_queue, asks_the_kernel_nothing_when_there_is_nothing_to_write) {
  write_queue queue;
  fake_socket to{100};
  queue.add("");
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.begin_at_once(to));
  EXPECT_FALSE(queue.begin_joined());
  EXPECT_EQ(to.writes(), 0);
}

TEST(write_queue, gives_what_was_not_taken_to_an_operation) {
  const std::string texts = "onetwothree";
  for (std::size_t most : {0, 1, 3, 4, 10}) {
    write_queue queue;
    fake_socket to{most};
    fill(queue, {"one", "two", "three"});
    auto rest = queue.begin_at_once(to);
    ASSERT_TRUE(rest);
    EXPECT_EQ(text_of(*rest), texts.substr(most));
    EXPECT_TRUE(queue.is_writing());
    queue.end();
    EXPECT_TRUE(queue.is_empty());
  }
}

TEST(write_queue, has_one_write_at_a_time) {
  write_queue queue;
  fake_socket to{2};
  queue.add("first");
  ASSERT_TRUE(queue.begin_at_once(to));
  queue.add("second");
  EXPECT_FALSE(queue.begin_at_once(to));
  EXPECT_FALSE(queue.begin_joined());
  EXPECT_EQ(to.taken(), "fi");
  queue.end();
  EXPECT_FALSE(queue.is_writing());
  EXPECT_FALSE(queue.is_empty());
  EXPECT_EQ(text_of(*queue.begin_at_once(to)), "cond");
}

/// Short strings included, which store their characters in the object.
TEST(write_queue, leaves_the_texts_of_a_write_where_they_are) {
  write_queue queue;
  fake_socket to{0};
  fill(queue, {"short", "a text that is too long for a string to keep in itself"});
  auto rest = queue.begin_at_once(to);
  ASSERT_TRUE(rest);
  for (int i = 0; i < 100; ++i)
    queue.add("another");
  queue.drop_waiting();
  EXPECT_EQ(text_of(*rest), "shorta text that is too long for a string to keep in itself");
}

TEST(write_queue, joins_what_waits_to_one_text) {
  write_queue queue;
  fill(queue, {"one ", "two ", "three"});
  auto text = queue.begin_joined();
  ASSERT_TRUE(text);
  fill(queue, {"four"});
  EXPECT_EQ(text_of(*text), "one two three");
  EXPECT_FALSE(queue.begin_joined());
  queue.end();
  EXPECT_EQ(text_of(*queue.begin_joined()), "four");
}

TEST(write_queue, joins_a_single_text_without_a_copy) {
  write_queue queue;
  std::string text(100, 'x');
  const void* where = text.data();
  queue.add(std::move(text));
  EXPECT_EQ(queue.begin_joined()->data(), where);
}

TEST(write_queue, drops_what_waits_but_not_what_is_being_written) {
  write_queue queue;
  fill(queue, {"written"});
  auto text = queue.begin_joined();
  fill(queue, {"dropped"});
  queue.drop_waiting();
  EXPECT_EQ(text_of(*text), "written");
  EXPECT_TRUE(queue.is_writing());
  queue.end();
  EXPECT_TRUE(queue.is_empty());
  EXPECT_FALSE(queue.waiting_exceeds(0));
}

// -- limits --------------------------------------------------------------------------------

TEST(write_queue, knows_exactly_how_many_bytes_wait) {
  write_queue queue;
  EXPECT_FALSE(queue.waiting_exceeds(0));
  fill(queue, {"four", "fives"});
  EXPECT_BYTES(queue.waiting_exceeds, 9);
  EXPECT_BYTES(queue.untaken_exceeds, 9);
  EXPECT_BYTES(queue.held_exceeds, 9);
}

TEST(write_queue, counts_a_write_apart_from_what_waits) {
  write_queue queue;
  fake_socket to{3};
  fill(queue, {"four", "fives"});
  ASSERT_TRUE(queue.begin_at_once(to));
  EXPECT_FALSE(queue.waiting_exceeds(0));
  EXPECT_BYTES(queue.untaken_exceeds, 6);
  EXPECT_BYTES(queue.held_exceeds, 9);
  fill(queue, {"two"});
  EXPECT_BYTES(queue.waiting_exceeds, 3);
  EXPECT_BYTES(queue.untaken_exceeds, 9);
  EXPECT_BYTES(queue.held_exceeds, 12);
}

TEST(write_queue, counts_what_is_written_no_more) {
  write_queue queue;
  fake_socket to{3};
  fill(queue, {"four"});
  ASSERT_TRUE(queue.begin_at_once(to));
  fill(queue, {"fives"});
  queue.end();
  EXPECT_BYTES(queue.untaken_exceeds, 5);
  EXPECT_BYTES(queue.held_exceeds, 5);
  queue.drop_waiting();
  EXPECT_FALSE(queue.held_exceeds(0));
}

TEST(write_queue, counts_a_joined_write_whole) {
  write_queue queue;
  fill(queue, {"four", "fives"});
  ASSERT_TRUE(queue.begin_joined());
  EXPECT_FALSE(queue.waiting_exceeds(0));
  EXPECT_BYTES(queue.untaken_exceeds, 9);
  EXPECT_BYTES(queue.held_exceeds, 9);
}

// -- one write in one turn -----------------------------------------------------------------

TEST(write_queue, wants_one_post_for_all_that_is_added_until_it_begins) {
  write_queue queue;
  fake_socket to{100};
  EXPECT_TRUE(queue.is_post_due());
  EXPECT_FALSE(queue.is_post_due());
  queue.add("before its time");
  EXPECT_FALSE(queue.begin_at_once(to));
  EXPECT_FALSE(queue.is_post_due());
  queue.posted_write_begins();
  EXPECT_TRUE(queue.is_post_due());
}

} // namespace troupe::tests::write_queue_test
