#include "deploy/connect/login_callback.hpp"

#include "tests/support/tcp_client.hpp"
#include "tests/support/waiting.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe::tests::login_callback_test {

using namespace deploy;

/// Holds requests of browsers until the test answers them.
class held_requests {
public:
  login_callback::on_return on_return() {
    return [this](const std::string& query, login_callback::visit from) {
      {
        std::lock_guard lock{mutex_};
        visits_.push_back(from);
      }
      told_.note(query);
    };
  }
  lines wait_for(std::size_t count) const { return told_.wait_for(count); }
  login_callback::visit visit(std::size_t i) {
    std::lock_guard lock{mutex_};
    return visits_.at(i);
  }

private:
  std::mutex mutex_;
  std::vector<login_callback::visit> visits_;
  journal told_;
};

std::uint16_t port_of(const login_callback& place) {
  const auto url = place.url();
  return static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
}

std::string request_for(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
}

class login_callback_ends : public tidy_test {};

TEST(login_callback, gives_a_browser_the_page_that_is_chosen) {
  held_requests requests;
  login_callback place(0, requests.on_return());
  tcp_client ours{port_of(place)}, strange{port_of(place)}, lost{port_of(place)};
  EXPECT_TRUE(lost.send(request_for("/callback")));
  EXPECT_NE(lost.read_to_end().find(" 404 "), std::string::npos);
  EXPECT_TRUE(ours.send(request_for("/callback?code=c")));
  requests.wait_for(1);
  EXPECT_TRUE(strange.send(request_for("/callback?code=d")));
  EXPECT_EQ(requests.wait_for(2), (lines{"code=c", "code=d"}));
  place.answer(requests.visit(1), false);
  place.answer(requests.visit(0), true);
  place.answer(requests.visit(0), true);
  EXPECT_NE(strange.read_to_end().find(" 400 "), std::string::npos);
  EXPECT_NE(ours.read_to_end().find("may be closed"), std::string::npos);
}

TEST_F(login_callback_ends, and_answers_browsers_that_nobody_has_answered) {
  held_requests requests;
  auto place = std::make_unique<login_callback>(std::uint16_t{0}, requests.on_return());
  std::vector<std::unique_ptr<tcp_client>> browsers;
  for (auto i = 0; i < 8; ++i) {
    browsers.push_back(std::make_unique<tcp_client>(port_of(*place)));
    EXPECT_TRUE(browsers.back()->send(request_for("/callback?code=" + std::to_string(i))));
  }
  EXPECT_EQ(requests.wait_for(8).size(), 8U);
  place.reset();
}

/// As in a login, one thread waits for the request and another answers it.
TEST_F(login_callback_ends, while_browsers_ask) {
  for (auto round = 0; round < 20; ++round) {
    journal requests;
    std::unique_ptr<login_callback> place;
    net::io_thread owner;
    auto tell = [&](const std::string& query, login_callback::visit from) {
      requests.note(query);
      owner.post([&, from] {
        if (place)
          place->answer(from, false);
      });
    };
    place = std::make_unique<login_callback>(std::uint16_t{0}, tell);
    std::vector<std::unique_ptr<tcp_client>> browsers;
    for (auto i = 0; i < 8; ++i)
      browsers.push_back(std::make_unique<tcp_client>(port_of(*place)));
    std::thread asking{[&] {
      for (auto& one : browsers)
        one->send("GET /callback?a HTTP/1.1\r\nHost: x\r\n\r\nGET /callback?b HTTP/1.1\r\nHost: x\r\n\r\n");
    }};
    requests.wait_for(static_cast<std::size_t>(round % 8));
    owner.post([&] { place.reset(); });
    asking.join();
  }
}

} // namespace troupe::tests::login_callback_test
