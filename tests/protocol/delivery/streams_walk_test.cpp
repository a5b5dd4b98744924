// Random walk of streams, compared with a very simple model.

#include "tests/support/stream_journal.hpp"
#include "tests/support/walk_seeds.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <variant>

namespace troupe::tests::streams_walk_test {

namespace {

/// All events that were sent on a stream.
struct sent_stream {
  std::vector<std::string> texts;
  bool finished = false;
};

/// A connection from the client's view.
struct wire {
  exchange_id stream = 0;
  /// The position that its client resumed from, and the last that it saw.
  std::uint64_t from = 0;
  std::uint64_t last = 0;
  bool open = false;
  bool ended = false;
  bool cut = false;
};

/// A client that follows one stream over several connections, and requests the missing events each time.
struct follower {
  exchange_id stream = 0;
  exchange_id on = 0;
  std::vector<std::string> seen;
};

class walk {
public:
  walk(unsigned seed, const stream_limits& limits, bool forgets) : dice_{seed}, forgets_{forgets}, s_{limits} {
    if (below(2))
      s_.primed();
  }

  void step() {
    static const std::vector<void (walk::*)()> facts{
        &walk::opens,   &walk::sends, &walk::sends, &walk::sends,  &walk::sends,      &walk::finishes,
        &walk::returns, &walk::joins, &walk::joins, &walk::leaves, &walk::one_is_cut, &walk::time_passes};
    (this->*facts[below(facts.size())])();
    expect_nothing_is_withheld();
  }

  /// All streams end, and all clients resume them, except those whose stream was evicted.
  void finish() {
    for (auto& [stream, it] : sent_)
      end(stream, it);
    for (std::size_t i = 0; i < followers_.size(); ++i) {
      come_back(i);
      s_.after(10s); // an ended stream is not replayed more often
      see();
    }
    for (auto& one : followers_)
      expect_saw(one, sent_[one.stream].texts.size());
    EXPECT_EQ(s_.all.waiting(), 0u);
    EXPECT_EQ(s_.all.detached(), s_.all.size());
  }

private:
  std::size_t below(std::size_t n) { return dice_() % n; }

  // -- facts ---------------------------------------------------------------------------

  void opens() {
    if (sent_.size() > 6)
      return;
    auto exchange = ++last_exchange_;
    wires_[exchange] = {.stream = exchange};
    sent_[exchange];
    followers_.push_back({exchange, exchange, {}});
    below(2) ? s_.calls(exchange) : s_.listens(exchange);
    see();
  }

  void sends() {
    if (auto found = some_stream(); found != sent_.end() && !found->second.finished) {
      found->second.texts.push_back("m" + std::to_string(++last_text_));
      s_.sends(found->first, found->second.texts.back(), below(2) == 0);
      see();
    }
  }

  void finishes() {
    if (auto found = some_stream(); found != sent_.end() && below(4) == 0)
      end(found->first, found->second);
  }

  /// A client drops its connection, broken or not, and resumes.
  void returns() {
    if (!followers_.empty())
      come_back(below(followers_.size()));
  }

  /// A second client follows the stream from its beginning.
  void joins() {
    if (followers_.empty() || followers_.size() > 12)
      return;
    followers_.push_back({followers_[below(followers_.size())].stream, 0, {}});
    come_back(followers_.size() - 1);
  }

  void leaves() {
    if (!followers_.empty())
      cut(followers_[below(followers_.size())].on);
  }

  /// Cuts any connection, including unused and finished ones.
  void one_is_cut() {
    if (last_exchange_ != 0)
      cut(1 + below(last_exchange_));
  }

  void time_passes() {
    static const std::vector<std::chrono::milliseconds> some{100ms, 1s, 5s, 10s, 61s};
    s_.after(some[below(some.size())]);
    see();
  }

  void end(exchange_id stream, sent_stream& it) {
    if (std::exchange(it.finished, true))
      return;
    s_.finishes(stream);
    see();
  }

  void come_back(std::size_t which) {
    auto& one = followers_[which];
    one.on = ++last_exchange_;
    auto position = position_of(one);
    wires_[one.on] = {.stream = one.stream, .from = position, .last = position};
    EXPECT_NE(s_.resumes(one.on, {one.stream, position}), streams::outcome::foreign);
    see();
  }

  void cut(exchange_id exchange) {
    wires_[exchange].cut = true;
    s_.leaves(exchange);
    see();
  }

  // -- outcome -------------------------------------------------------------------------

  void see() {
    for (auto& one : s_.seen())
      std::visit([this](auto& it) { saw(it); }, one);
  }

  void saw(const open_stream& it) {
    auto& on = wires_[it.exchange];
    EXPECT_FALSE(on.open || on.ended || on.cut) << it.exchange;
    on.open = true;
  }

  void saw(const publish& it) {
    auto& on = wires_[it.exchange];
    EXPECT_TRUE(on.open && !on.ended && !on.cut) << it.exchange;
    auto at = read_event_id(tag, it.what.id.value_or(""));
    ASSERT_TRUE(at);
    EXPECT_EQ(at->stream, on.stream);
    if (it.what.data.empty()) {
      EXPECT_EQ(at->position, on.from) << it.exchange;
      EXPECT_EQ(at->position, on.last) << it.exchange;
      return;
    }
    EXPECT_TRUE(at->position == on.last + 1 || (forgets_ && at->position > on.last))
        << it.exchange << " at " << at->position;
    on.last = at->position;
    auto& texts = sent_[on.stream].texts;
    ASSERT_LE(at->position, texts.size());
    EXPECT_EQ(it.what.data, texts[at->position - 1]);
    for (auto& one : followers_)
      if (one.on == it.exchange)
        one.seen.push_back(it.what.data);
  }

  void saw(const end_stream& it) {
    auto& on = wires_[it.exchange];
    EXPECT_TRUE(on.open && !on.ended && !on.cut) << it.exchange;
    on.ended = true;
  }

  template <class Other>
  void saw(const Other&) {
    ADD_FAILURE() << "streams do no such thing";
  }

  // -- invariants ----------------------------------------------------------------------

  /// The carrier of a stream has seen all events. Other clients have seen a prefix without gaps or repetitions.
  void expect_nothing_is_withheld() {
    for (auto& [exchange, on] : wires_)
      if (s_.all.carried_by(exchange)) {
        EXPECT_TRUE(on.open && !on.ended && !on.cut) << exchange;
        EXPECT_TRUE(on.last == sent_[on.stream].texts.size() || forgets_) << exchange;
      }
    for (auto& one : followers_)
      expect_saw(one, one.seen.size());
  }

  void expect_saw(const follower& one, std::size_t size) {
    if (forgets_)
      return;
    auto& texts = sent_[one.stream].texts;
    ASSERT_LE(size, texts.size());
    EXPECT_EQ(one.seen, std::vector<std::string>(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(size)));
  }

  /// The last position that a client saw on all its connections.
  std::uint64_t position_of(const follower& one) {
    auto& texts = sent_[one.stream].texts;
    if (one.seen.empty())
      return 0;
    auto found = std::find(texts.begin(), texts.end(), one.seen.back());
    return static_cast<std::uint64_t>(found - texts.begin()) + 1;
  }

  std::map<exchange_id, sent_stream>::iterator some_stream() {
    return sent_.empty() ? sent_.end() : std::next(sent_.begin(), static_cast<std::ptrdiff_t>(below(sent_.size())));
  }

  std::mt19937 dice_;
  bool forgets_;
  stream_journal s_;
  std::map<exchange_id, sent_stream> sent_;
  std::map<exchange_id, wire> wires_;
  std::vector<follower> followers_;
  exchange_id last_exchange_ = 0;
  int last_text_ = 0;
};

void walks(const stream_limits& limits, bool forgets) {
  for (unsigned seed = 1, seeds = walk_seeds(1000); seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    walk one{seed, limits, forgets};
    for (int steps = 0; steps < 150 && !::testing::Test::HasFailure(); ++steps)
      one.step();
    one.finish();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
}

} // namespace

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, bring_every_message_once_and_in_order_to_whoever_comes_back) { walks({.time_to_live = 24h}, false); }

// 2025-11-25, transports, "Resumability and Redelivery" 2
TEST(streams, bring_every_message_once_and_in_order_while_they_poll) {
  walks({.time_to_live = 24h, .poll = 4s}, false);
}

TEST(streams, bring_no_message_twice_or_out_of_order_even_when_they_had_to_forget) {
  walks({.poll = 7s, .stored_events = 8, .stored_bytes = 30}, true);
}

TEST(streams, bring_no_message_twice_or_out_of_order_even_when_they_were_forgotten) {
  walks({.poll = 7s, .kept = 1}, true);
}

} // namespace troupe::tests::streams_walk_test
