#include "net/frame_stream.hpp"

#include "tests/support/test_listener.hpp"

#include <sys/socket.h>

namespace troupe::tests::frame_stream_test {

using namespace net;

namespace {

/// A socket and a stream on a thread. The callbacks of the stream are noted in `seen`.
class frame_stream_test : public tidy_test {
protected:
  frame_stream_test() {
    auto [here, there] = make_socket_pair();
    other = std::move(there);
    stream_.emplace(
        thread_, std::move(here), [this](const std::string& text) { seen.note(text); }, [this] { seen.note("END"); });
  }
  ~frame_stream_test() override { stream_.reset(); }

  void write(const std::string& text) {
    run_on(thread_, [&] { stream_->write(text); });
  }
  void send(std::string_view bytes) const { ::send(other.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  void end() { stream_.reset(); }

  journal seen;
  owned_descriptor other;

private:
  io_thread thread_;
  std::optional<frame_stream> stream_;
};

constexpr std::chrono::milliseconds soon = patience;
constexpr auto now = std::chrono::milliseconds{0};

} // namespace

TEST_F(frame_stream_test, takes_what_is_written_as_one_text_each) {
  EXPECT_TRUE(write_frame(other.get(), "one"));
  EXPECT_TRUE(write_frame(other.get(), ""));
  EXPECT_TRUE(write_frame(other.get(), std::string{"t\0wo", 4}));
  EXPECT_EQ(seen.wait_for(3), (lines{"one", "", std::string{"t\0wo", 4}}));
}

TEST_F(frame_stream_test, takes_a_text_that_comes_in_parts) {
  for (const char byte : std::string{"\0\0\0\3two\0\0\0\1", 11})
    send({&byte, 1});
  send("!");
  EXPECT_EQ(seen.wait_for(2), (lines{"two", "!"}));
}

TEST_F(frame_stream_test, writes_texts_that_are_read_one_by_one) {
  write("one");
  write("two");
  EXPECT_EQ(read_frame(other.get(), soon), "one");
  EXPECT_EQ(read_frame(other.get(), soon), "two");
  EXPECT_EQ(read_frame(other.get(), now), std::nullopt);
}

TEST_F(frame_stream_test, carries_a_long_text) {
  const std::string text(3'000'000, 'x');
  write(text);
  auto [here, there] = make_socket_pair();
  journal heard;
  io_thread thread;
  frame_stream reader{thread, std::move(other), [&](const auto& all) { heard.note(std::to_string(all.size())); },
                      [] {}};
  EXPECT_EQ(heard.wait_for(1), lines{"3000000"});
}

TEST_F(frame_stream_test, tells_once_that_the_other_end_is_gone) {
  other = owned_descriptor{};
  EXPECT_EQ(seen.wait_for(1), lines{"END"});
}

TEST_F(frame_stream_test, ends_at_a_size_that_no_text_has) {
  send({"\x40\0\0\1", 4});
  EXPECT_EQ(seen.wait_for(1), lines{"END"});
}

TEST_F(frame_stream_test, writes_the_rest_when_it_is_destroyed) {
  write("last");
  end();
  EXPECT_EQ(read_frame(other.get(), soon), "last");
  EXPECT_EQ(read_frame(other.get(), soon), std::nullopt);
}

TEST_F(frame_stream_test, does_not_wait_long_for_who_does_not_read) {
  write(std::string(10'000'000, 'x'));
  end();
}

TEST(frame, a_short_text_is_not_read_beyond_its_end_nor_when_it_is_long) {
  const auto [here, there] = make_socket_pair();
  EXPECT_TRUE(write_frame(here.get(), std::string(64 * 1024, 'x')));
  EXPECT_TRUE(write_frame(here.get(), std::string(64 * 1024 + 1, 'x')));
  EXPECT_EQ(read_frame(there.get(), soon)->size(), 64U * 1024);
  EXPECT_EQ(read_frame(there.get(), soon), std::nullopt);
}

TEST(frame, is_of_nobody_once_the_other_end_is_closed_though_it_has_said_something) {
  auto [here, there] = make_socket_pair();
  EXPECT_FALSE(is_abandoned(here.get()));
  EXPECT_TRUE(write_frame(there.get(), "hi"));
  EXPECT_FALSE(is_abandoned(here.get()));
  there = owned_descriptor{};
  EXPECT_TRUE(is_abandoned(here.get()));
}

TEST(frame, is_not_written_to_who_is_gone) {
  auto [here, there] = make_socket_pair();
  there = owned_descriptor{};
  EXPECT_FALSE(write_frame(here.get(), "hi"));
}

} // namespace troupe::tests::frame_stream_test
