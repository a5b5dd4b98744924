// Random walk: several nodes share a store over slow and failing connections, for many seeds. Two nodes never answer
// for the same session, and no node answers after its tenure may have expired.

#include "actors/cluster_state.hpp"
#include "protocol/cluster/session_store.hpp"
#include "tests/support/store_model.hpp"
#include "tests/support/walk_seeds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <random>

namespace troupe::tests::tenure_walk_test {

namespace {

constexpr auto tenure_time = 10s;
constexpr auto step = 100ms;

/// Nodes with their tenures, clocks that run up to a tenth too fast or too slow, and a store.
///
/// A command is executed some time after it was sent, or never, and its answer arrives later. When a connection breaks,
/// the node considers the commands on it `lost`, and they are executed late or never. A node may freeze, and then
/// receives everything later. Or it exits, and restarts as a different owner. Sessions get requests at any time, also
/// on a frozen node: like other threads, they have only `actors::tenure` to decide.
class cluster {
public:
  explicit cluster(std::uint64_t seed) : dice_{seed} {
    for (std::size_t i = 0; i < count; ++i)
      nodes_[i].name = std::string(1, static_cast<char>('a' + i));
    for (auto& one : nodes_)
      start(one);
  }

  void run(std::chrono::milliseconds time, bool calm) {
    calm_ = calm;
    for (auto end = now_ + time; now_ < end && !testing::Test::HasFailure(); now_ += step) {
      for (auto& one : nodes_)
        work(one);
      carry_out_late();
      expect_one_to_answer();
    }
  }
  /// The store restarts empty. Nodes may rely on their tenures until these end.
  void wipe() {
    store_.wipe();
    has_lost_data_ = true;
  }
  void remember_store() { before_ = store_; }
  /// The store restarts as it was at `remember_store`.
  void go_back() {
    store_.restart_with(before_);
    has_lost_data_ = true;
  }
  void expect_all_to_hold() {
    for (auto& one : nodes_)
      EXPECT_TRUE(one.board->holds()) << one.owner;
  }
  std::size_t taken() const { return taken_; }
  std::size_t regained() const { return regained_; }

private:
  static constexpr std::size_t count = 3;
  using fact = std::function<store_effects(session_store&, time_point)>;

  struct command {
    /// Executes the command in the store, and returns the answer.
    std::function<fact(time_point)> carry_out;
    /// The result when the answer is lost.
    fact lost;
  };
  struct connection {
    bool is_up = false;
    std::deque<command> sent;
    /// Pending answers, each with the result for its loss.
    std::deque<std::pair<fact, fact>> answers;
    /// Until this time nothing arrives, in either direction.
    time_point stuck_there{};
    time_point stuck_here{};
  };
  struct node {
    std::string name;
    std::string owner;
    int lives = 0;
    double speed = 1;
    std::unique_ptr<session_store> machine;
    std::unique_ptr<troupe::actors::tenure> board;
    std::array<connection, 3> ways;
    std::deque<fact> heard;
    time_point frozen_until{};
    /// The sessions of the node, with the terms in which it got them.
    std::map<std::string, std::uint64_t> sessions;
  };

  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>{0, n - 1}(dice_); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  bool chance(std::size_t n) { return !calm_ && one_in(n); }
  time_point clock_of(const node& one) const {
    return begun + std::chrono::duration_cast<time_point::duration>((now_ - begun) * one.speed);
  }
  bool answers_for(const node& one, const std::string& session) const {
    auto found = one.sessions.find(session);
    return found != one.sessions.end() && one.board->keeps(found->second);
  }

  // -- what must never happen

  void expect_one_to_answer() {
    std::set<std::string> answered;
    for (auto& one : nodes_)
      for (auto& [session, term] : one.sessions)
        if (answers_for(one, session)) {
          EXPECT_TRUE(has_lost_data_ || store_.runs(one.owner, now_)) << one.owner << " has no lease";
          EXPECT_TRUE(has_lost_data_ || !store_.is_foreign(session, one.owner))
              << session << " is not of " << one.owner;
          EXPECT_TRUE(answered.insert(session).second) << session << " is of two, and of " << one.owner;
        }
  }

  // -- a node

  void start(node& one) {
    one.owner = one.name + std::to_string(++one.lives);
    one.speed = 0.91 + 0.19 * static_cast<double>(below(1000)) / 1000;
    one.machine = std::make_unique<session_store>(tenure_time, store_limits{});
    one.board = std::make_unique<troupe::actors::tenure>([this, &one] { return clock_of(one); });
  }
  void die(node& one) {
    for (auto& way : one.ways)
      lose(way);
    if (one_in(2))
      late_.push_back({[this, owner = one.owner](time_point) {
                         store_.leave(owner);
                         return fact{};
                       },
                       {}});
    one.sessions.clear();
    one.heard.clear();
    start(one);
  }

  void work(node& one) {
    for (std::size_t i = 0; i < one.ways.size(); ++i)
      move(one, static_cast<store_connection>(i));
    if (chance(1500))
      die(one);
    if (chance(400))
      one.frozen_until = now_ + step * below(150);
    if (now_ < one.frozen_until)
      return;
    for (auto hears = below(4) + (calm_ ? 4 : 0); hears > 0 && !one.heard.empty(); --hears)
      hear(one);
    if (one.machine->deadline() <= clock_of(one))
      carry_out(one, one.machine->tick(clock_of(one)));
    serve(one);
  }
  void hear(node& one) {
    auto what = std::move(one.heard.front());
    one.heard.pop_front();
    carry_out(one, what(*one.machine, clock_of(one)));
  }
  /// Requests of clients.
  void serve(node& one) {
    if (one_in(40) && one.board->holds()) {
      all_.push_back("s" + std::to_string(all_.size()));
      begin(one, all_.back(), one.board->term());
    }
    if (all_.empty())
      return;
    auto& session = all_[all_.size() - 1 - below(std::min<std::size_t>(all_.size(), 6))];
    if (one_in(5) && answers_for(one, session))
      one.machine->remember(session, one.owner);
    if (one_in(300) && one.sessions.erase(session))
      one.machine->forget(session);
    if (one_in(3) && !one.sessions.contains(session))
      carry_out(one, one.machine->searched(session, {}, {}, clock_of(one)));
    write(one);
  }
  void begin(node& one, const std::string& session, std::uint64_t term) {
    one.sessions[session] = term;
    one.machine->remember(session, one.owner);
  }

  // -- its effects

  void carry_out(node& one, const store_effects& effects) {
    for (auto& effect : effects)
      std::visit([&](auto& what) { perform(one, what); }, effect);
    write(one);
  }
  void perform(node& one, const renew_tenure& what) {
    auto answer = [](store_answer is) {
      return [is](session_store& machine, time_point now) { return machine.renewed(is, now); };
    };
    send(one, store_connection::tenure,
         {[this, owner = one.owner, what, answer](time_point now) { return answer(store_.renew(owner, what, now)); },
          answer({store_verdict::lost})});
  }
  void perform(node& one, const extend_tenure& what) { one.board->extend(what.until); }
  void perform(node& one, const move_tenure& what) { one.board->move(what.until); }
  void perform(node& one, const end_tenure&) { one.board->end(); }
  void perform(node& one, const doubt_session& what) {
    if (auto found = one.sessions.find(what.session); found != one.sessions.end())
      one.machine->claim(what.session, one.owner, {.term = one.board->term(), .is_held = true});
  }
  void perform(node& one, const end_foreign_session& what) { one.sessions.erase(what.session); }
  void perform(node& one, const take_over_session& what) {
    auto answer = [](search_result found) {
      return [found](session_store& machine, time_point now) { return machine.found(search_result{found}, now); };
    };
    send(one, store_connection::searches,
         {[this, owner = one.owner, what, answer, seen = one.machine->seen()](time_point now) {
            return answer(store_.take_over(owner, what, seen, now));
          },
          answer({what.session, {store_verdict::lost}})});
  }
  void perform(node& one, const search_outcome& what) {
    if (what.is != search_outcome::outcome::ours)
      return;
    ++taken_;
    if (one_in(4))
      one.machine->give_back(what.session, what.taken);
    else
      begin(one, what.session, one.board->term());
  }
  void perform(node&, const let_go&) {}
  void perform(node&, const session_gone&) {}
  /// Requests for sessions that are no longer the node's wait for the claim.
  void perform(node& one, const claim_again& what) {
    for (auto& [session, term] : one.sessions)
      if (what.is_held ? one.board->is_unbroken(term) : !answers_for(one, session))
        one.machine->claim(session, one.owner, {one.board->term(), what.is_new_store, what.is_held});
  }
  void perform(node& one, const claimed& what) {
    auto found = one.sessions.find(what.session);
    if (found == one.sessions.end())
      return;
    found->second = what.term;
    if (answers_for(one, what.session))
      ++regained_;
  }
  void perform(node&, const log_note&) {}

  void write(node& one) {
    while (auto what = one.machine->next_write()) {
      auto answer = [session = what->session, task = what->what, term = what->claim.term](store_verdict is) {
        return [=](session_store& machine, time_point now) { return machine.written(session, task, {is}, now, term); };
      };
      send(one, store_connection::writes,
           {[this, owner = one.owner, what = *what, answer](time_point now) {
              return answer(store_.write(owner, what, now));
            },
            answer(store_verdict::lost)});
    }
  }

  // -- the connections

  void send(node& one, store_connection by, command what) {
    auto& way = one.ways[static_cast<std::size_t>(by)];
    if (way.is_up)
      way.sent.push_back(std::move(what));
    else
      one.heard.push_back(std::move(what.lost));
  }
  void move(node& one, store_connection by) {
    auto& way = one.ways[static_cast<std::size_t>(by)];
    if (!way.is_up && one_in(10)) {
      way.is_up = true;
      one.heard.push_back([by](session_store& machine, time_point now) { return machine.reached(by, now); });
    } else if (way.is_up && chance(200)) {
      for (auto& lost : lose(way))
        one.heard.push_back(std::move(lost));
      one.heard.push_back([by](session_store& machine, time_point now) { return machine.lost(by, "gone", now); });
    }
    if (chance(200))
      (one_in(2) ? way.stuck_there : way.stuck_here) = now_ + step * below(150);
    while (!way.sent.empty() && now_ >= way.stuck_there && (calm_ || one_in(3))) {
      way.answers.emplace_back(way.sent.front().carry_out(now_), std::move(way.sent.front().lost));
      way.sent.pop_front();
    }
    while (!way.answers.empty() && now_ >= way.stuck_here && (calm_ || one_in(3))) {
      one.heard.push_back(std::move(way.answers.front().first));
      way.answers.pop_front();
    }
  }
  /// The results of the commands that were pending on the connection.
  std::vector<fact> lose(connection& way) {
    std::vector<fact> result;
    for (auto& [answer, lost] : way.answers)
      result.push_back(std::move(lost));
    for (auto& one : way.sent) {
      result.push_back(one.lost);
      if (one_in(2))
        late_.push_back(std::move(one));
    }
    way = {};
    return result;
  }
  void carry_out_late() {
    while (!late_.empty() && one_in(10)) {
      late_.front().carry_out(now_);
      late_.pop_front();
    }
  }

  std::mt19937_64 dice_;
  bool calm_ = false;
  time_point now_ = begun;
  store_model store_{tenure_time};
  store_model before_{tenure_time};
  bool has_lost_data_ = false;
  std::array<node, count> nodes_;
  /// Commands that the store executes later.
  std::deque<command> late_;
  std::vector<std::string> all_;
  std::size_t taken_ = 0;
  std::size_t regained_ = 0;
};

void walk(const std::function<void(cluster&)>& lose_data) {
  const auto seeds = walk_seeds(32);
  std::size_t taken = 0, regained = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    cluster all{seed};
    all.run(2min, false);
    lose_data(all);
    all.run(1min, false);
    all.run(30s, true);
    all.expect_all_to_hold();
    if (testing::Test::HasFailure())
      return;
    taken += all.taken();
    regained += all.regained();
  }
  EXPECT_GT(taken, seeds * 10) << "otherwise little was seen";
  EXPECT_GT(regained, seeds * 10) << "otherwise little was seen";
}

} // namespace

TEST(tenure_walk, lets_one_node_answer_for_a_session_and_only_while_its_tenure_runs_in_the_store) {
  walk([](cluster&) {});
}

TEST(tenure_walk, lets_one_node_answer_for_a_session_whose_store_came_back_empty) {
  walk([](cluster& all) { all.wipe(); });
}

TEST(tenure_walk, lets_one_node_answer_for_a_session_whose_store_came_back_older) {
  for (auto age : {1s, 4s, 30s})
    walk([age](cluster& all) {
      all.remember_store();
      all.run(age, false);
      all.go_back();
    });
}

TEST(tenure_walk, lets_one_node_answer_for_a_session_whose_store_came_back_older_twice_within_a_tenure) {
  walk([](cluster& all) {
    all.remember_store();
    all.run(4s, false);
    all.go_back();
    all.run(3s, false);
    all.go_back();
  });
}

} // namespace troupe::tests::tenure_walk_test
