// Random walk: remote servers and users act in any order, and answers arrive in any pieces.

#include "tests/support/remote_driver.hpp"
#include "tests/support/walk_seeds.hpp"

#include <map>
#include <random>
#include <set>
#include <vector>

namespace troupe::tests::remote_walk_test {

namespace {

/// A user, a server and a network with random actions, and the invariants of the transport.
class walk {
public:
  walk(unsigned seed, remote_kind kind) : dice_{seed}, old_{kind == remote_kind::http_sse}, it_{at_site(kind), seed} {
    sends(hello("0"), "0");
  }

  void step() {
    static const std::vector<void (walk::*)()> facts{
        &walk::user_asks,     &walk::user_asks,     &walk::user_says,     &walk::user_cancels,  &walk::server_begins,
        &walk::server_begins, &walk::server_begins, &walk::server_writes, &walk::server_writes, &walk::server_writes,
        &walk::server_writes, &walk::server_ends,   &walk::net_breaks,    &walk::time_passes};
    (this->*facts[below(facts.size())])();
  }

  /// Ends all traffic. Every request must have an answer then.
  void finish() {
    for (int round = 0; round < 40 && !lost_; ++round) {
      for (auto all = open_; auto& [call, one] : all)
        if (open_.contains(call))
          breaks(call);
      if (!lost_ && it_.deadline() != time_point::max())
        see(it_.tick(now_ = it_.deadline()));
    }
    EXPECT_EQ(awaited_, std::set<std::string>{});
    EXPECT_EQ(it_.requests_in_flight(), 0u);
    see(it_.leave());
    EXPECT_TRUE(lost_ || open_.empty());
  }

  bool over() const { return lost_; }
  bool began() const { return agreed_; }

private:
  struct exchange {
    bool get = false;
    bool resumes = false;
    std::string id = {};
    int status = 0;
    bool streams = false;
    bool written = false;
    std::string unsent = {};
  };

  std::size_t below(std::size_t n) { return dice_() % n; }
  /// Faults are rare before the session is agreed, so that most walks get past it.
  bool spared() { return !agreed_ && below(100) != 0; }

  // -- invariants ---------------------------------------------------------------------

  void see(const remote_effects& all) {
    for (auto& one : all) {
      EXPECT_FALSE(lost_) << "something follows the loss";
      std::visit([this](auto& effect) { saw(effect); }, one);
    }
    EXPECT_LE(open_.size(), 3000u);
  }

  void saw(const send_call& one) {
    EXPECT_GT(one.call, last_call_);
    last_call_ = one.call;
    exchange began{.get = one.method == "GET"};
    for (auto& [name, value] : one.fields) {
      began.resumes = began.resumes || name == "Last-Event-ID";
      EXPECT_FALSE(name == "Mcp-Session-Id" && (!session_ || value != "s")) << value;
    }
    if (!began.get)
      saw_message(gateway_message(one.body), began);
    open_[one.call] = std::move(began);
  }

  void saw_message(const message& what, exchange& in) {
    EXPECT_TRUE(agreed_ || what.method == "initialize") << what.text;
    EXPECT_FALSE(what.method == "m" && said_initialized_ && !arrived_initialized_) << "too early";
    if (what.method == "notifications/initialized") {
      said_initialized_ = true;
      in.id = "initialized";
    } else if (what.kind == message_kind::request) {
      in.id = what.id;
      unanswered_.insert(what.id);
    }
  }

  void saw(const drop_call& one) { EXPECT_EQ(open_.erase(one.call), 1u) << "a call is dropped that is over"; }
  void saw(const release_call& one) { EXPECT_TRUE(open_.contains(one.call)); }
  void saw(const deliver_message& one) {
    if (one.what.kind == message_kind::response) {
      EXPECT_EQ(awaited_.erase(one.what.id), 1u) << one.what.text;
    }
    agreed_ = agreed_ || (one.what.id == "0" && one.what.kind == message_kind::response &&
                          one.what.text.find("protocolVersion") != std::string::npos);
  }
  /// When the server has forgotten the session, only requests that it refused or never received are unanswered.
  void saw(const lose_server& how) {
    lost_ = true;
    for (auto& id : how.is_expired ? std::exchange(awaited_, {}) : std::set<std::string>{})
      EXPECT_FALSE(begun_.contains(id)) << id;
    EXPECT_EQ(awaited_, std::set<std::string>{});
    EXPECT_TRUE(open_.empty());
  }
  void saw(const log_note&) {}
  void saw(const send_last_request&) { EXPECT_TRUE(session_); }

  // -- the user -----------------------------------------------------------------------

  void sends(std::string text, const std::string& id = {}) {
    if (lost_)
      return;
    if (!id.empty())
      awaited_.insert(id);
    see(it_.client_sent(gateway_message(std::move(text)), now_));
  }
  void user_asks() {
    auto id = std::to_string(++last_id_);
    sends(request(id, "m"), id);
  }
  void user_says() {
    if (agreed_ && !told_initialized_)
      told_initialized_ = true, sends(initialized);
    else
      sends(below(2) ? note("n") : result("7"));
  }
  void user_cancels() {
    auto id = std::to_string(below(last_id_ + 1));
    if (id != "0")
      awaited_.erase(id);
    sends(cancelled(id));
  }

  // -- the server ----------------------------------------------------------------------

  exchange* any_open(http_call_id& call) {
    if (open_.empty())
      return nullptr;
    auto at = std::next(open_.begin(), static_cast<std::ptrdiff_t>(below(open_.size())));
    call = at->first;
    return &at->second;
  }

  void server_begins() {
    http_call_id call = 0;
    auto one = any_open(call);
    if (!one || one->status != 0)
      return;
    auto rare = [&](std::size_t n) { return below(n) == 0; };
    one->status = spared() ? 200 : rare(12) ? 503 : rare(20) && !one->resumes ? 400 : rare(200) ? 404 : 200;
    one->streams = one->get || (!one->id.empty() && below(2));
    http_fields fields = one->streams ? events : json;
    if (one->id == "0" && one->status == 200 && !old_) {
      fields.emplace_back("mcp-session-id", "s");
      session_ = true;
    }
    if (one->id == "initialized")
      arrived_initialized_ = true;
    if (one->status != 404)
      begun_.insert(one->id);
    if (old_ && one->get)
      one->unsent = "event: endpoint\ndata: /m\n\n";
    see(it_.receive_event({call, call_head{one->status, fields}}, now_));
  }

  std::string any_text(const std::string& own) {
    if (!spared() && below(4) == 0)
      return below(3) ? note("n") : below(2) ? request("5", "roots/list") : "garbage";
    auto id = !agreed_ ? "0" : own.empty() || below(5) == 0 ? std::to_string(below(last_id_ + 1)) : own;
    if (!unanswered_.contains(id))
      return note("n");
    unanswered_.erase(id);
    return id == "0" ? welcome("0") : below(2) ? result(id) : failed(id, "no");
  }

  /// Writes a whole message, or a part that the next write continues.
  void server_writes() {
    http_call_id call = 0;
    auto one = any_open(call);
    if (!one || one->status != 200)
      return;
    if (one->unsent.empty() && one->streams)
      one->unsent = wire(any_text(old_ ? "" : one->id), below(2) ? std::to_string(++last_event_) : "");
    else if (one->unsent.empty() && (!one->written || below(50) == 0))
      one->unsent = any_text(one->id);
    one->written = true;
    auto size = below(2) ? one->unsent.size() : below(one->unsent.size() + 1);
    auto piece = one->unsent.substr(0, size);
    one->unsent.erase(0, size);
    see(it_.receive_event({call, call_body{piece}}, now_));
  }

  void server_ends() {
    http_call_id call = 0;
    auto one = any_open(call);
    if (!one || one->status == 0 || spared() || (old_ && one->get && below(20) != 0))
      return;
    over(call);
    see(it_.receive_event({call, call_ended{}}, now_));
  }

  void net_breaks() {
    http_call_id call = 0;
    auto one = any_open(call);
    if (one && below(5) == 0 && !spared() && !(old_ && one->get && below(20) != 0))
      breaks(call);
  }

  void breaks(http_call_id call) {
    over(call);
    see(it_.receive_event({call, call_failed{"reset"}}, now_));
  }

  void over(http_call_id call) {
    if (open_[call].id == "initialized")
      arrived_initialized_ = true;
    open_.erase(call);
  }

  void time_passes() {
    static const std::vector<std::chrono::milliseconds> some{1ms, 500ms, 2s, 10s, 45s};
    now_ += some[below(some.size())];
    if (now_ >= it_.deadline()) {
      arrived_initialized_ = arrived_initialized_ || said_initialized_;
      see(it_.tick(now_));
      EXPECT_GT(it_.deadline(), now_) << "something is late that a tick leaves";
    }
  }

  std::mt19937 dice_;
  bool old_;
  time_point now_{1h};
  remote_server it_;
  std::map<http_call_id, exchange> open_;
  std::set<std::string> awaited_, unanswered_, begun_;
  http_call_id last_call_ = 0;
  std::size_t last_id_ = 0;
  int last_event_ = 0;
  bool session_ = false, agreed_ = false, lost_ = false;
  bool told_initialized_ = false, said_initialized_ = false, arrived_initialized_ = false;
};

void walks(remote_kind kind) {
  const auto seeds = walk_seeds(1000);
  unsigned began = 0;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    walk one{seed, kind};
    for (int steps = 0; steps < 300 && !one.over() && !::testing::Test::HasFailure(); ++steps)
      one.step();
    one.finish();
    began += one.began();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  EXPECT_GT(began, seeds / 2);
}

} // namespace

TEST(remote_walk, answers_every_request_once_over_Streamable_HTTP) { walks(remote_kind::streamable_http); }

TEST(remote_walk, answers_every_request_once_over_HTTP_SSE) { walks(remote_kind::http_sse); }

TEST(remote_walk, answers_every_request_once_where_the_transport_is_not_known) { walks(remote_kind::detect); }

// -- pieces -----------------------------------------------------------------------------

TEST(remote_pieces, of_a_stream_say_the_same_however_it_is_cut) {
  const std::string whole = ": hello\r\n\r\nid: 1\r\ndata:\r\n\r\nretry: 7\n\n" + wire(note("n"), "2") +
                            "data: [\ndata: " + note("a") + "\ndata: ]\n\n" + "event: other\ndata: x\n\n" +
                            wire("bad", "3") + wire(result("1"), "4") + wire(note("late")) + "id: 5\ndata: cut";
  auto told = [&](const std::vector<std::size_t>& cuts) {
    remote_driver t;
    t.opened().sends(request("1", "m"));
    t.head(4, 200, events);
    remote_effects all;
    std::size_t from = 0;
    for (auto to : cuts) {
      auto said = t.body(4, std::string_view{whole}.substr(from, to - from));
      all.insert(all.end(), said.begin(), said.end());
      from = to;
    }
    return all;
  };
  const auto expected = told({whole.size()});
  EXPECT_EQ(expected.size(), 6u);
  std::mt19937 dice{1};
  for (int i = 0; i < 2000; ++i) {
    std::set<std::size_t> cuts{whole.size()};
    for (auto n = dice() % 40; n > 0; --n)
      cuts.insert(dice() % whole.size());
    ASSERT_EQ(told({cuts.begin(), cuts.end()}), expected);
  }
}

TEST(remote_pieces, of_any_bytes_do_no_harm) {
  std::mt19937 dice{2};
  const std::string letters = "dataid:evntry\n\r\n {}[]\"\xff\xc3:\n\n" + std::string(1, '\0');
  for (int i = 0; i < 2000; ++i) {
    auto options = at_site();
    options.message = 64;
    remote_driver t{options};
    t.opened();
    t.sends(request("1", "m"));
    t.head(4, 200, i % 2 ? events : json);
    for (int pieces = 0; pieces < 20; ++pieces) {
      std::string piece(dice() % 20, ' ');
      for (auto& c : piece)
        c = letters[dice() % letters.size()];
      t.body(3 + dice() % 2, piece);
    }
    t.ends(4);
    for (int rounds = 0; rounds < 20 && t.it.requests_in_flight() != 0; ++rounds)
      t.in_time();
  }
}

} // namespace troupe::tests::remote_walk_test
