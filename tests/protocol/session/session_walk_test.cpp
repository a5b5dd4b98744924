// Random walk of sessions. `session_checker` has the invariants.

#include "tests/support/session_checker.hpp"
#include "tests/support/session_driver.hpp"
#include "tests/support/walk_seeds.hpp"

#include <functional>
#include <random>
#include <vector>

namespace troupe::tests::session_walk_test {

namespace {

constexpr session_limits narrow{.idle = 30min, .calls = 5, .questions = 3, .held = 4};
const http_limits narrow_http{.shadows = 2, .waiting = 4};
const http_limits polling{.shadows = 2, .waiting = 4, .stream = {.poll = 20s, .stored_events = 12}};
/// After a restoration, each stream is resumed from every event at once.
const http_limits much_resumed{.shadows = 2, .waiting = 4, .stream = {.takeovers = 1000}};

std::unique_ptr<delivery> way_of(unsigned kind) {
  if (kind == 0)
    return std::make_unique<sse_delivery>("/messages");
  return std::make_unique<http_delivery>(kind == 2 ? polling : kind == 3 ? much_resumed : narrow_http, tag);
}

std::optional<session_record> record_of(unsigned kind) {
  return kind == 3 ? std::optional{session_record{}} : std::nullopt;
}

/// A client, a server and a clock with random actions.
class walk {
public:
  /// `kind` is 0 for HTTP+SSE, 1 for Streamable HTTP, 2 for that with polling streams and forgotten events, and 3 for
  /// that with nodes that exit.
  walk(unsigned seed, unsigned kind)
      : seen{kind == 0, kind == 2}, one_stream_{kind == 0}, mortal_{kind == 3}, dice_{seed}, it_{narrow, way_of(kind),
                                                                                                 now_,
                                                                                                 record_of(kind)} {
    version_ = below(2) ? "2025-03-26" : "2025-11-25";
    if (kind == 0)
      listens();
    start();
  }

  /// Runs a random action.
  void step() {
    static const std::vector<void (walk::*)()> facts{&walk::posts_request,
                                                     &walk::posts_request,
                                                     &walk::posts_request,
                                                     &walk::posts_batch,
                                                     &walk::posts_notification,
                                                     &walk::cancels,
                                                     &walk::answers,
                                                     &walk::listens,
                                                     &walk::resumes,
                                                     &walk::resumes,
                                                     &walk::leaves,
                                                     &walk::leaves,
                                                     &walk::server_answers,
                                                     &walk::server_answers,
                                                     &walk::server_answers,
                                                     &walk::server_progresses,
                                                     &walk::server_asks,
                                                     &walk::server_notes,
                                                     &walk::server_withdraws,
                                                     &walk::server_strays,
                                                     &walk::time_passes,
                                                     &walk::time_passes,
                                                     &walk::rarely_ends};
    if (to_forget_ && below(4) == 0)
      return store_forgets();
    if (mortal_ && below(30) == 0)
      return dies();
    (this->*facts[below(facts.size())])();
  }

  /// Ends the session in one of the possible ways.
  void finish() {
    static const std::vector<void (walk::*)()> ways{&walk::deleted, &walk::server_lost, &walk::drained, &walk::moved,
                                                    &walk::forgotten};
    (this->*ways[below(ways.size())])();
    if (to_forget_)
      store_forgets();
    EXPECT_TRUE(seen.over);
    seen.expect_nobody_waits();
  }

  session_checker seen;

private:
  // -- random choices ----------------------------------------------------------------

  std::size_t below(std::size_t n) { return dice_() % n; }

  std::string one_of(const std::set<std::string>& some) {
    return some.empty() ? "77" : *std::next(some.begin(), static_cast<std::ptrdiff_t>(below(some.size())));
  }

  std::string any_id() {
    auto number = std::to_string(below(40));
    return below(2) ? number : '"' + number + '"';
  }

  std::string any_request() {
    if (below(8) == 0)
      return mortal_ ? request(any_id(), "resources/subscribe", R"({"uri":"a"})") : request(any_id(), "ping");
    return below(2) ? request(any_id(), "m") : request_with(any_id(), any_id(), "m");
  }

  // -- facts ---------------------------------------------------------------------------

  void tell(const effects& all) {
    keep(all);
    seen.saw(all);
    if (!seen.over) {
      EXPECT_GT(it_.deadline(), now_) << "something is late that a tick leaves";
    }
  }

  void keep(const effects& all) {
    for (auto& one : all) {
      to_forget_ =
          (to_forget_ || std::holds_alternative<forget_session>(one)) && !std::holds_alternative<end_session>(one);
      if (auto it = std::get_if<remember>(&one))
        left_.record = read_record(it->record).value();
      if (auto it = std::get_if<keep_event>(&one))
        keep(it->what);
    }
  }

  void keep(const saved_event& what) {
    if (what.position != 0 || !what.text.empty())
      return left_.events.push_back(what);
    std::erase_if(left_.events, [&](auto& one) { return one.stream == what.stream; });
    forgotten_.insert(what.stream);
  }

  void posts(std::string text) {
    auto body = std::get<post_body>(read_body(std::move(text)));
    seen.told(++last_, &body);
    tell(it_.client_sent(last_, std::move(body), now_));
  }

  /// Receives a message of the server. Progress and requests are numbered, so that each is unique.
  void server(std::string text) { tell(it_.server_sent(std::get<message>(read_message(std::move(text))), now_)); }

  void start() {
    posts(hello("\"first\"", version_));
    for (auto before = below(4); before > 0 && !seen.over; --before)
      below(2) ? server_notes() : server_asks();
    if (below(10) == 0)
      return leaves();
    seen.note_answer("1");
    server(below(10) == 0 ? failed("1", "no") : welcome("1", version_));
    if (below(4) != 0)
      posts(initialized);
  }

  void posts_request() { posts(any_request()); }

  void posts_batch() {
    std::string text = "[" + (below(4) ? any_request() : note("notifications/n"));
    for (auto size = below(4); size > 0; --size)
      text += "," + (below(3) ? cancelled(any_id()) : any_request());
    posts(text + "]");
  }

  void posts_notification() { posts(below(3) ? note("notifications/n") : below(2) ? initialized : progress(any_id())); }

  void cancels() { posts(cancelled(any_id())); }

  void answers() { posts(below(4) ? result(one_of(seen.seen_questions)) : error_text(any_id(), -1, "no")); }

  void listens() {
    seen.told(++last_);
    tell(it_.client_listens(last_, {}, now_));
  }

  /// A client resumes after an event that it saw, or after an unknown one.
  void resumes() {
    auto last = below(10) == 0 ? std::string{"t-1-99"} : one_of(seen.seen_events);
    seen.told(++last_);
    if (auto id = read_event_id(tag, last))
      seen.note_resume(last_, id->stream);
    tell(it_.client_listens(last_, last, now_));
  }

  /// The client drops an open exchange.
  void leaves() {
    if (one_stream_ && below(8) != 0)
      return;
    std::vector<exchange_id> open;
    for (auto& [number, one] : seen.exchanges)
      if (!one.left && (one.is == session_checker::state::waiting || one.is == session_checker::state::streaming))
        open.push_back(number);
    if (!open.empty())
      leave(open[below(open.size())]);
  }

  void leave(exchange_id number) {
    seen.left(number);
    tell(it_.client_lost(number, now_));
  }

  void server_answers() {
    if (seen.calls.empty())
      return;
    auto own = one_of(seen.calls);
    seen.note_answer(own);
    server(below(3) ? result(own) : failed(own, "no"));
  }

  void server_progresses() { server(progress(below(3) ? one_of(seen.calls) : any_id(), std::to_string(++last_note_))); }

  void server_asks() {
    auto id = std::to_string(1000 + ++last_note_);
    seen.note_question(id);
    server(request_with(id, id, "elicitation/create"));
  }

  void server_notes() {
    auto number = R"({"n":)" + std::to_string(++last_note_) + "}";
    server(note(below(2) ? "notifications/message" : "notifications/tools/list_changed", number));
  }

  void server_withdraws() {
    auto id = one_of(seen.questions);
    seen.note_withdrawal(id);
    server(cancelled(id));
  }

  void server_strays() {
    auto id = "9" + std::to_string(100000 + below(10));
    server(below(2) ? result(id) : below(2) ? cancelled(id) : note("notifications/cancelled"));
  }

  void time_passes() {
    static const std::vector<std::chrono::seconds> some{1s, 14s, 15s, 60s, 5min, 10min, 29min};
    passes(some[below(some.size())]);
  }

  void passes(std::chrono::seconds time) {
    seen.note_time();
    tell(it_.tick(now_ += time));
  }

  void rarely_ends() {
    if (below(12) == 0)
      tell(it_.close({}, now_));
    else if (below(12) == 0)
      server_lost();
    else if (below(12) == 0)
      deleted();
  }

  // -- lifetimes -----------------------------------------------------------------------

  /// The node exits, and another one restores the session.
  void dies() {
    if (seen.over || to_forget_ || left_.record.version.empty())
      return;
    seen.note_death();
    it_ = session{narrow, way_of(3), now_};
    tell(it_.restore(left_, now_));
    last_ = it_.last_exchange();
    auto busy = below(2) == 0;
    for (auto meanwhile = busy ? below(6) : 0; meanwhile > 0; --meanwhile)
      wants();
    seen.note_answer("1");
    server(below(10) == 0 ? failed("1", "no") : welcome("1", version_));
    if (!busy && !seen.over && !to_forget_)
      everyone_comes_back();
  }

  /// A client sends a request for a session that is not restored yet.
  void wants() {
    static const std::vector<void (walk::*)()> facts{
        &walk::posts_request, &walk::posts_notification, &walk::cancels, &walk::listens, &walk::resumes, &walk::leaves};
    (this->*facts[below(facts.size())])();
  }

  /// Each stream from before the restoration has the events after every seen one, and an answer to each request, unless
  /// it was resumed too late.
  void everyone_comes_back() {
    auto events = seen.seen_events;
    for (auto& text : events)
      if (auto id = read_event_id(tag, text))
        comes_back(*id);
  }

  void comes_back(event_id after) {
    std::vector<std::string> kept, heard;
    for (auto& one : left_.events)
      if (one.stream == after.stream && one.position > after.position)
        kept.push_back(one.text);
    seen.told(++last_);
    seen.note_resume(last_, after.stream);
    auto all = it_.client_listens(last_, event_id_text(tag, after), now_);
    for (auto& one : all)
      if (auto it = std::get_if<publish>(&one); it && it->what.type == "message")
        heard.push_back(it->what.data);
    tell(all);
    heard.resize(std::min(heard.size(), kept.size()));
    EXPECT_EQ(heard, kept) << after.stream << '-' << after.position;
    auto unanswered = forgotten_.contains(after.stream) ? std::set<std::string>{} : seen.unanswered_on(after.stream);
    EXPECT_EQ(unanswered, std::set<std::string>{}) << after.stream;
    if (seen.exchanges[last_].is == session_checker::state::streaming)
      leave(last_);
  }

  // -- ends ----------------------------------------------------------------------------

  void deleted() {
    seen.told(++last_);
    tell(it_.client_ends(last_, now_));
  }

  void server_lost() { tell(it_.server_lost("it crashed", now_)); }

  void drained() {
    tell(it_.close({}, now_));
    while (!seen.over && !to_forget_ && !::testing::Test::HasFailure()) {
      ASSERT_FALSE(seen.calls.empty()) << "a session that is drained waits for a call";
      server_answers();
    }
  }

  /// Sessions without a record stay until they are drained.
  void moved() {
    tell(it_.depart("it moves", now_));
    posts_request();
    listens();
    posts_notification();
    while (!seen.calls.empty() && !::testing::Test::HasFailure())
      server_answers();
    tell(it_.released(now_));
    if (!seen.over)
      drained();
  }

  /// All clients leave, and time passes.
  void forgotten() {
    for (auto& [number, one] : seen.exchanges)
      if (!one.left && one.is == session_checker::state::streaming && one.unanswered.empty())
        leave(number);
    for (int minutes = 0; minutes < 75; minutes += 5)
      passes(5min);
  }

  void store_forgets() { tell(it_.forgotten(below(5) != 0, now_)); }

  bool one_stream_;
  bool mortal_;
  /// Whether the store is to forget the session, and has not answered.
  bool to_forget_ = false;
  std::mt19937 dice_;
  std::string version_;
  time_point now_{1h};
  session it_;
  restored_session left_;
  std::set<exchange_id> forgotten_;
  exchange_id last_ = 0;
  int last_note_ = 0;
};

void walks(unsigned kind) {
  for (unsigned seed = 1, seeds = walk_seeds(1000); seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    walk one{seed, kind};
    for (int steps = 0; steps < 150 && !::testing::Test::HasFailure(); ++steps)
      one.step();
    one.finish();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

} // namespace

TEST(session, keeps_its_promises_whatever_happens) { walks(1); }

TEST(session, keeps_its_promises_while_streams_poll_and_are_forgotten) { walks(2); }

TEST(session, keeps_its_promises_over_many_lives) { walks(3); }

TEST(session_sse, keeps_its_promises_whatever_happens) { walks(0); }

} // namespace troupe::tests::session_walk_test
