#include "net/byte_stream.hpp"

#include "tests/support/http_server.hpp"
#include "tests/support/test_listener.hpp"

namespace troupe::tests::byte_stream_test {

using namespace net;

namespace {

/// A stream on a thread of its own, and its callbacks.
class stream_on_thread {
public:
  ~stream_on_thread() {
    run_on(thread_, [&] { stream_->close(); });
  }

  void let(const std::function<void(byte_stream&)>& act) {
    run_on(thread_, [&] { act(*stream_); });
  }
  void connect(std::uint16_t port) {
    let([&](auto& stream) {
      stream.connect({"127.0.0.1", port}, patience, [this](auto error, const auto& why_not) {
        seen.note(error ? error.message() + ", " + why_not : "connected");
      });
    });
  }
  void read() {
    let([&](auto& stream) {
      stream.read([this](auto error, auto bytes) { seen.note(error ? "over" : std::string{bytes}); });
    });
  }
  std::function<void()> note(std::string line) {
    return [this, line = std::move(line)] { seen.note(line); };
  }

  journal seen;

private:
  io_thread thread_;
  std::shared_ptr<byte_stream> stream_ = std::make_shared<byte_stream>(byte_stream::tcp::socket{thread_.context()});
};

using byte_stream_test = tidy_test;

} // namespace

TEST_F(byte_stream_test, names_cause_and_host_when_it_cannot_connect) {
  stream_on_thread one;
  one.connect(1);
  EXPECT_EQ(one.seen.wait_for(1), lines{"Connection refused, cannot connect to 127.0.0.1 port 1: Connection refused"});
}

TEST_F(byte_stream_test, tells_nothing_when_it_is_closed_while_it_connects) {
  http_server server{[](auto& peer) { peer.read_request(); }};
  stream_on_thread one;
  one.let([&](auto& stream) {
    stream.connect({"127.0.0.1", server.port()}, patience, [&](auto...) { one.seen.note("told"); });
    stream.close();
  });
  one.let([](auto&) {});
  EXPECT_EQ(one.seen.all(), lines{});
}

TEST_F(byte_stream_test, tells_only_that_it_ended_when_it_leaves_while_it_connects) {
  http_server server{[](auto& peer) { peer.read_request(); }};
  stream_on_thread one;
  one.let([&](auto& stream) {
    stream.connect({"127.0.0.1", server.port()}, patience, [&](auto...) { one.seen.note("told"); });
    stream.leave(one.note("left"));
  });
  one.seen.wait_for("left");
  one.let([](auto&) {});
  EXPECT_EQ(one.seen.all(), lines{"left"});
}

TEST_F(byte_stream_test, tells_nothing_once_it_is_closed) {
  http_server server{[](auto& peer) { peer.read_request(); }};
  stream_on_thread one;
  one.connect(server.port());
  one.seen.wait_for("connected");
  one.let([&](auto& stream) {
    stream.read([&](auto...) { one.seen.note("read"); });
    stream.send("unheard", one.note("sent"));
    stream.close();
    stream.send("unheard", one.note("sent"));
    stream.read([&](auto...) { one.seen.note("read"); });
  });
  one.let([](auto&) {});
  EXPECT_EQ(one.seen.all(), lines{"connected"});
}

TEST_F(byte_stream_test, sends_texts_in_their_order_and_tells_once_when_all_are_sent) {
  http_server server{[](auto& peer) { peer.say(peer.read_request()); }};
  stream_on_thread one;
  one.connect(server.port());
  one.seen.wait_for("connected");
  one.let([&](auto& stream) {
    stream.send("GET / ", one.note("sent first"));
    stream.send("HTTP/1.1\r\n");
    stream.send("\r\n", one.note("sent all"));
    stream.send("", one.note("sent nothing"));
  });
  one.seen.wait_for("sent all");
  one.read();
  EXPECT_EQ(one.seen.wait_for(3), (lines{"connected", "sent all", "GET / HTTP/1.1\r\n\r\n"}));
}

TEST_F(byte_stream_test, leaves_when_the_other_side_has_heard_it_all) {
  std::string heard;
  {
    http_server server{[&](auto& peer) {
      heard = peer.read_request();
      peer.say(std::string(100'000, 'x'));
      peer.leave();
    }};
    stream_on_thread one;
    one.connect(server.port());
    one.seen.wait_for("connected");
    one.read();
    one.let([&](auto& stream) {
      stream.send("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nok", one.note("sent"));
      stream.leave(one.note("left"));
    });
    EXPECT_EQ(one.seen.wait_for("left").back(), "left");
    EXPECT_EQ(one.seen.wait_for("left").size(), 2u) << "told of what is dropped";
  }
  EXPECT_EQ(heard.substr(heard.size() - 2), "ok");
}

} // namespace troupe::tests::byte_stream_test
