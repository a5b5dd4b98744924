// Random walk: listens begin and end in any order, and a server answers late, refuses and exits.

#include "protocol/message/message.hpp"
#include "protocol/modern_client/listeners.hpp"
#include "tests/support/server_driver.hpp"
#include "tests/support/stateless_effects.hpp"

#include <map>
#include <random>
#include <set>
#include <vector>

namespace troupe::tests::listeners_walk_test {

namespace {

/// The events that one listen has received.
struct seen_listen {
  std::set<std::string> asked;
  /// As in the acknowledgement; empty before it.
  std::optional<std::set<std::string>> honoured;
};

std::set<std::string> honoured_in(const std::string& acknowledgement) {
  std::set<std::string> result;
  auto uris = find_member(acknowledgement, {"params", "notifications", "resourceSubscriptions"});
  for (array_reader each{uris.value_or("[]")}; each.next();)
    result.insert(*string_value(each.value()));
  return result;
}

class listeners_walk {
public:
  explicit listeners_walk(unsigned seed) : dice_{seed} {}

  void step() {
    static const std::vector<void (listeners_walk::*)()> facts{
        &listeners_walk::listens,     &listeners_walk::listens,        &listeners_walk::withdraws,
        &listeners_walk::is_answered, &listeners_walk::is_answered,    &listeners_walk::is_answered,
        &listeners_walk::updates,     &listeners_walk::rarely_restarts};
    (this->*facts[below(facts.size())])();
  }

  /// With no request pending, the server's subscriptions are exactly the listened resources.
  void settle() {
    while (!pending_.empty())
      is_answered();
    std::set<std::string> listened;
    for (auto& [exchange, one] : listens_) {
      ASSERT_TRUE(one.honoured) << exchange;
      listened.insert(one.honoured->begin(), one.honoured->end());
    }
    EXPECT_EQ(subscribed_, listened);
    settled += listened.size();
  }

  void finish() {
    settle();
    apply_to([&](auto& out) { it_.end(out); });
    EXPECT_TRUE(listens_.empty());
    settle();
  }

  std::size_t settled = 0, refused = 0, losses = 0;

private:
  std::size_t below(std::size_t n) { return dice_() % n; }
  std::string any_uri() { return std::string(1, static_cast<char>('a' + below(4))); }

  template <class Tell>
  void apply_to(Tell tell) {
    stateless_effects out;
    tell(out);
    for (auto& one : out)
      std::visit([this](auto& what) { this->saw(what); }, one);
  }

  // -- observations ----------------------------------------------------------------------

  void saw(const send_notification& one) {
    ASSERT_TRUE(listens_.contains(one.exchange));
    auto& listen = listens_[one.exchange];
    auto method = string_member(one.text, {"method"});
    if (method == "notifications/subscriptions/acknowledged") {
      EXPECT_FALSE(listen.honoured) << "twice";
      listen.honoured = honoured_in(one.text);
      EXPECT_TRUE(std::ranges::includes(listen.asked, *listen.honoured));
      return;
    }
    ASSERT_TRUE(listen.honoured) << "ahead of the acknowledgement";
    EXPECT_TRUE(listen.honoured->contains(string_member(one.text, {"params", "uri"})));
    informed_.insert(one.exchange);
  }
  void saw(const send_response& one) {
    auto listen = listens_.extract(one.exchange);
    ASSERT_TRUE(listen);
    EXPECT_EQ(one.error == 0, listen.mapped().honoured.has_value());
  }
  void saw(const forward_to_server& one) {
    auto uri = string_param(one.what, "uri");
    for (auto& [id, other] : pending_)
      EXPECT_NE(string_param(other, "uri"), uri) << "two at a time";
    auto subscribes = one.what.is_method("resources/subscribe");
    EXPECT_NE(subscribed_.contains(uri), subscribes) << uri;
    EXPECT_TRUE(pending_.emplace(one.what.id, one.what).second);
  }

  // -- facts -----------------------------------------------------------------------------

  void listens() {
    listen_filter filter;
    for (auto count = below(4); count > 0; --count)
      filter.uris.insert(any_uri());
    auto text =
        request(std::to_string(below(3)), "subscriptions/listen", R"({"notifications":)" + filter_text(filter) + "}");
    listens_[++last_exchange_].asked = filter.uris;
    apply_to([&](auto& out) {
      it_.listen(last_exchange_, gateway_message(text), R"({"resources":{"subscribe":true}})", out);
    });
  }

  void withdraws() {
    if (listens_.empty())
      return;
    auto exchange = std::next(listens_.begin(), static_cast<std::ptrdiff_t>(below(listens_.size())))->first;
    listens_.erase(exchange);
    apply_to([&](auto& out) { EXPECT_TRUE(it_.withdrawn(exchange, out)); });
  }

  /// The server may answer the later of two pending requests first. It never refuses `a`.
  void is_answered() {
    if (pending_.empty())
      return;
    auto at = std::next(pending_.begin(), static_cast<std::ptrdiff_t>(below(pending_.size())));
    auto asked = pending_.extract(at).mapped();
    auto uri = string_param(asked, "uri");
    auto refuses = asked.is_method("resources/subscribe") && uri != "a" && below(4) == 0;
    if (asked.is_method("resources/unsubscribe"))
      subscribed_.erase(uri);
    else if (!refuses)
      subscribed_.insert(uri);
    refused += refuses ? 1 : 0;
    auto answer = gateway_message(refuses ? failed(asked.id, "no such resource") : result(asked.id));
    apply_to([&](auto& out) { EXPECT_TRUE(it_.takes_answer(answer, out)); });
  }

  void updates() {
    auto uri = any_uri();
    informed_.clear();
    apply_to([&](auto& out) { it_.receive_from_server(gateway_message(updated(uri)), out); });
    for (auto& [exchange, one] : listens_)
      EXPECT_EQ(informed_.contains(exchange), one.honoured && one.honoured->contains(uri)) << exchange;
  }

  /// All listens end. The next server has no subscriptions, and gets no requests.
  void rarely_restarts() {
    if (below(4) != 0)
      return;
    ++losses;
    pending_.clear();
    subscribed_.clear();
    apply_to([&](auto& out) { it_.server_lost("it died", out); });
    EXPECT_TRUE(listens_.empty());
    EXPECT_TRUE(pending_.empty());
  }

  std::mt19937 dice_;
  byte_budget bytes_{std::size_t{1} << 20};
  listeners it_{1000, bytes_};
  exchange_id last_exchange_ = 0;
  std::map<exchange_id, seen_listen> listens_;
  /// The listens that received the last update.
  std::set<exchange_id> informed_;
  /// Pending requests to the server by id, and its subscriptions.
  std::map<std::string, message> pending_;
  std::set<std::string> subscribed_;
};

} // namespace

TEST(listeners, match_what_the_server_tells_of_whatever_happens) {
  std::size_t settled = 0, refused = 0, losses = 0;
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    listeners_walk one{seed};
    for (int i = 0; i < 200 && !HasFailure(); ++i) {
      one.step();
      if (i % 20 == 19)
        one.settle();
    }
    one.finish();
    settled += one.settled, refused += one.refused, losses += one.losses;
  }
  EXPECT_GT(settled, 1'000U);
  EXPECT_GT(refused, 300U);
  EXPECT_GT(losses, 1'000U);
}

} // namespace troupe::tests::listeners_walk_test
