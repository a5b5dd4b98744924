// Random walk of a shared server and its users. `shared_server_checker` has the invariants.

#include "tests/support/server_driver.hpp"
#include "tests/support/shared_server_checker.hpp"
#include "tests/support/walk_seeds.hpp"

#include <random>
#include <vector>

namespace troupe::tests::supervised_walk_test {

namespace {

supervision_rules rules_of(unsigned seed) {
  return {.ends_users = seed % 5 == 4,
          .may_forget = seed % 4 != 3,
          .restarts = {.attempts = 3},
          .request = 20s,
          .request_cap = 60s,
          .initialize = 10s,
          .question = 30s,
          .calls = 6,
          .waiting_bytes = 2000,
          .questions = 3,
          .subscriptions = 2,
          .tools = seed % 2 ? tool_filter{{}, {"rm"}} : tool_filter{}};
}

/// Users, a server and a clock with random actions.
class server_walk {
public:
  explicit server_walk(unsigned seed) : most_users_{seed % 3 ? 4U : 50U}, dice_{seed}, it_{rules_of(seed), seed} {}

  /// Runs a random action.
  void step() {
    static const std::vector<void (server_walk::*)()> facts{
        &server_walk::user_joins,         &server_walk::user_asks,          &server_walk::user_asks,
        &server_walk::user_asks,          &server_walk::user_subscribes,    &server_walk::user_subscribes,
        &server_walk::user_sets_level,    &server_walk::user_cancels,       &server_walk::user_answers,
        &server_walk::user_notes,         &server_walk::user_rarely_leaves, &server_walk::server_answers,
        &server_walk::server_answers,     &server_walk::server_answers,     &server_walk::server_answers,
        &server_walk::server_strays,      &server_walk::server_progresses,  &server_walk::server_asks,
        &server_walk::server_withdraws,   &server_walk::server_notes,       &server_walk::server_updates,
        &server_walk::server_rarely_dies, &server_walk::time_passes};
    (this->*facts[below(facts.size())])();
  }

  /// All requests are answered in time, or fail. Then all users leave, and no state remains.
  void finish() {
    settle();
    seen.expect_nobody_waits();
    while (!seen.users.empty())
      user_leaves(seen.users.begin()->first);
    settle();
    EXPECT_EQ(it_.users(), 0u);
    EXPECT_EQ(it_.calls_in_flight(), 0u);
    EXPECT_EQ(it_.questions_in_flight(), 0u);
    EXPECT_EQ(it_.deadline(), time_point::max());
  }

  std::size_t answered = 0, updates = 0, questions = 0, losses = 0;
  shared_server_checker seen;

private:
  // -- random choices ----------------------------------------------------------------

  std::size_t below(std::size_t n) { return dice_() % n; }

  template <class Map>
  const typename Map::value_type& one_of(const Map& some) {
    return *std::next(some.begin(), static_cast<std::ptrdiff_t>(below(some.size())));
  }

  std::string any_uri() { return std::string(1, static_cast<char>('a' + below(3))); }

  // -- facts ---------------------------------------------------------------------------

  void tell(const server_effects& all) {
    seen.saw(all);
    EXPECT_GT(it_.deadline(), now_) << "something is late that a tick leaves";
  }

  void user_tells(user_id one, std::string text) { tell(it_.user_sent(one, gateway_message(std::move(text)), now_)); }

  void user_requests(user_id one, const std::string& method, const std::string& more = {}) {
    auto n = std::to_string(++last_request_);
    auto who = R"("who":)" + std::to_string(one) + R"(,"n":)" + n;
    auto meta = below(2) ? R"(,"_meta":{"progressToken":"t)" + n + "\"}" : "";
    auto what = gateway_message(request(n, method, "{" + who + more + meta + "}"));
    seen.asks(one, last_request_, what);
    tell(it_.user_sent(one, std::move(what), now_));
  }

  void server(std::string text) { tell(it_.server_sent(gateway_message(std::move(text)), now_)); }

  // -- users -----------------------------------------------------------------------------

  void user_joins() {
    if (seen.users.size() < most_users_ || below(4) == 0)
      user_requests(seen.users.size() < most_users_ ? ++last_user_ : one_of(seen.users).first, "initialize",
                    R"(,"protocolVersion":"2025-06-18")");
  }

  void user_asks() {
    if (!seen.users.empty())
      user_requests(one_of(seen.users).first, "m");
  }

  void user_subscribes() {
    auto method = below(3) ? "resources/subscribe" : "resources/unsubscribe";
    if (!seen.users.empty())
      user_requests(one_of(seen.users).first, method, R"(,"uri":")" + any_uri() + "\"");
  }

  void user_sets_level() {
    static const std::vector<std::string> levels{"debug", "info", "error", "odd"};
    if (!seen.users.empty())
      user_requests(one_of(seen.users).first, "logging/setLevel", R"(,"level":")" + levels[below(4)] + "\"");
  }

  void user_cancels() {
    if (seen.users.empty())
      return;
    auto& [one, of] = one_of(seen.users);
    auto n = of.unanswered.empty() ? 77 : one_of(of.unanswered).first;
    seen.cancels(one, n);
    user_tells(one, cancelled(std::to_string(n)));
  }

  void user_answers() {
    if (seen.users.empty())
      return;
    auto& [one, of] = one_of(seen.users);
    auto stray = std::to_string(below(9));
    if (of.questions.empty() || (below(4) == 0 && !of.questions.contains(stray)))
      return user_tells(one, result(stray, R"({"q":0})"));
    auto [id, q] = one_of(of.questions);
    seen.users[one].questions.erase(id);
    user_tells(one, result(id, R"({"q":)" + std::to_string(q) + "}"));
  }

  void user_notes() {
    if (!seen.users.empty())
      user_tells(one_of(seen.users).first, below(2) ? initialized : note("notifications/n"));
  }

  void user_rarely_leaves() {
    if (!seen.users.empty() && below(3) == 0)
      user_leaves(one_of(seen.users).first);
  }

  void user_leaves(user_id one) {
    seen.leaves(one);
    tell(it_.user_disconnected(one, now_));
  }

  // -- the server ----------------------------------------------------------------------------

  void server_answers() {
    if (seen.pending.empty())
      return;
    auto [own, asked] = one_of(seen.pending);
    answer(own, asked, below(8) != 0);
  }

  void answer(std::uint64_t own, const message& asked, bool success) {
    auto id = below(8) ? asked.id : troupe::protocol::quoted(asked.id);
    auto who = shared_server_checker::param(asked, "who");
    auto value = asked.method == "initialize" ? R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}}})"
                 : who.empty()                ? "{}"
                               : R"({"who":)" + who + R"(,"n":)" + shared_server_checker::param(asked, "n") + "}";
    seen.answers(own, success);
    ++answered;
    auto initialize = asked.method == "initialize";
    server(success ? result(id, value) : failed(id, "no"));
    losses += initialize && !success;
    if (below(20) == 0 && !initialize)
      server(result(id, value));
  }

  /// Unexpected answers, with an id that was never used or is finished.
  void server_strays() {
    auto id = 1 + below(5);
    if (!seen.pending.contains(id))
      server(result(std::to_string(below(2) ? id : 1'000'000 + id), R"({"who":0,"n":0})"));
  }

  void server_progresses() {
    if (seen.pending.empty())
      return;
    auto& asked = one_of(seen.pending).second;
    auto who = shared_server_checker::param(asked, "who");
    auto token = asked.reference.empty() ? "7777777" : asked.reference;
    if (!who.empty())
      server(note("notifications/progress", R"({"progressToken":)" + token + R"(,"who":)" + who + R"(,"n":)" +
                                                shared_server_checker::param(asked, "n") + "}"));
  }

  void server_asks() {
    if (!seen.alive)
      return;
    if (below(4) == 0)
      return server(request(std::to_string(shared_server_checker::pings + below(9)), "ping"));
    seen.open_questions.insert(++last_question_);
    auto q = std::to_string(last_question_);
    server(request(q, "q", R"({"q":)" + q + "}"));
    questions += seen.open_questions.contains(last_question_);
  }

  void server_withdraws() {
    if (seen.open_questions.empty() || !seen.alive)
      return;
    auto q = *seen.open_questions.begin();
    seen.open_questions.erase(q);
    server(cancelled(std::to_string(q)));
  }

  void server_notes() {
    static const std::vector<std::string> notes{note("notifications/custom"), logs("debug"), logs("error"),
                                                list_changed("tools")};
    if (seen.alive)
      server(notes[below(notes.size())]);
  }

  void server_updates() {
    if (!seen.greeted)
      return;
    auto uri = any_uri();
    seen.updated_users.clear();
    server(updated(uri));
    for (auto& [one, of] : seen.users)
      EXPECT_TRUE(!of.must.contains(uri) || seen.updated_users.contains(one)) << one << " misses " << uri;
    updates += seen.updated_users.size();
  }

  void server_rarely_dies() {
    if (seen.alive && below(4) == 0)
      below(2) ? server_dies() : server_forgets();
  }

  /// Pending requests never ran, and are sent again.
  void server_forgets() {
    ++losses;
    seen.dies();
    tell(it_.server_lost("it forgot", now_, false, true));
  }

  /// All pending requests fail at once.
  void server_dies() {
    ++losses;
    seen.dies();
    tell(it_.server_lost("it died", now_));
    seen.expect_nobody_waits();
  }

  // -- time ------------------------------------------------------------------------------------

  void time_passes() {
    static const std::vector<std::chrono::milliseconds> times{1ms, 200ms, 1s, 4s, 11s, 25s, 61s};
    now_ += times[below(times.size())];
    tell(it_.tick(now_));
  }

  /// The server answers, except to stuck requests. Time passes until no request is late.
  void settle() {
    for (int rounds = 0; rounds < 200 && it_.deadline() != time_point::max(); ++rounds) {
      if (!seen.pending.empty() && below(4) != 0) {
        auto [own, asked] = one_of(seen.pending);
        answer(own, asked, true);
        continue;
      }
      now_ = std::max(now_, it_.deadline());
      tell(it_.tick(now_));
    }
  }

  std::size_t most_users_;
  std::mt19937 dice_;
  time_point now_{1h};
  supervised_server it_;
  user_id last_user_ = 0;
  std::uint64_t last_request_ = 0;
  std::uint64_t last_question_ = 0;
};

} // namespace

TEST(supervised_server, keeps_its_promises_whatever_happens) {
  const auto seeds = walk_seeds(400);
  std::size_t answered = 0, updates = 0, questions = 0, losses = 0;
  for (unsigned seed = 0; seed < seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    server_walk one{seed};
    for (int i = 0; i < 400 && !HasFailure(); ++i)
      one.step();
    one.finish();
    answered += one.answered, updates += one.updates, questions += one.questions, losses += one.losses;
  }
  EXPECT_GT(answered, seeds * 25);
  EXPECT_GT(updates, seeds * 5 / 2);
  EXPECT_GT(questions, seeds * 5 / 4);
  EXPECT_GT(losses, seeds * 5 / 2);
}

} // namespace troupe::tests::supervised_walk_test
