#pragma once

#include "tests/simulation/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>

namespace troupe::tests::simulation {

/// Rules that no run may break; .github/CONTRIBUTING.md says when each is broken.
enum class rule {
  one_owner,
  own_answers_only,
  one_answer_each,
  stays_ended,
  each_event_once,
  known_when_404,
  bounded,
  settles,
  survives,
  lost_only_if_run,
  runs_once,
  kept_at_handover,
  always_served,
  one_lease
};

std::string_view rule_text(rule of);

/// Record of a run: its last lines, a digest of all of them, counts by name, and the first broken rule.
class history {
public:
  /// Number of lines that are kept.
  static constexpr std::size_t most = 400;

  /// `tolerated` rules are counted when broken, and do not end the run.
  history(scheduler& time, std::set<rule> tolerated) : time_{time}, tolerated_{std::move(tolerated)} {}

  void note(std::string_view who, std::string_view what, std::string_view about = {});
  void count(std::string_view what, std::uint64_t times = 1) { counts_[std::string{what}] += times; }
  /// A rule is broken: ends the run, unless the rule is tolerated.
  void broken(rule which, std::string what);

  bool is_good() const { return violation_.empty(); }
  const std::string& violation() const { return violation_; }
  rule broken_rule() const { return broken_; }
  /// Digest of all lines: equal for two runs only if they are the same.
  std::uint64_t digest() const { return digest_; }
  const std::map<std::string, std::uint64_t>& counts() const { return counts_; }
  void print(std::ostream& out, std::size_t lines = most) const;

private:
  struct line {
    time_point when;
    std::string text;
  };

  scheduler& time_;
  std::set<rule> tolerated_;
  std::deque<line> lines_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t digest_ = 0xcbf29ce484222325U;
  std::string violation_;
  rule broken_ = rule::settles;
};

} // namespace troupe::tests::simulation
