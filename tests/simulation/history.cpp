#include "tests/simulation/history.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace troupe::tests::simulation {

namespace {

constexpr std::size_t longest_line = 160;

} // namespace

std::string_view rule_text(rule of) {
  constexpr std::array<std::string_view, 14> texts{"two nodes answer for one session",
                                                   "a client receives an answer of another request",
                                                   "a call is answered twice",
                                                   "a session goes on after its end",
                                                   "a stream delivers an event twice or out of order",
                                                   "a live session is answered with 404",
                                                   "a queue passes its limit",
                                                   "the cluster does not settle",
                                                   "a live session is not in the store",
                                                   "a call that no server has received fails as lost",
                                                   "a refused call runs, or runs twice",
                                                   "a session is ended by a handover",
                                                   "nobody accepts clients, or two processes do",
                                                   "a caller has two leases"};
  return texts[static_cast<std::size_t>(of)];
}

void history::note(std::string_view who, std::string_view what, std::string_view about) {
  if (lines_.size() == most)
    lines_.pop_front();
  auto& added = lines_.emplace_back(line{time_.now(), {}});
  added.text.append(who).append(1, ' ').append(what);
  if (!about.empty())
    added.text.append(1, ' ').append(about);
  auto add = [this](std::uint64_t part) { digest_ = (digest_ ^ part) * 0x100000001b3U; };
  add(static_cast<std::uint64_t>(added.when.time_since_epoch().count()));
  for (unsigned char one : added.text)
    add(one);
}

void history::broken(rule which, std::string what) {
  auto text = std::string{rule_text(which)} + ": " + what;
  note("RULE", text);
  count(std::string{"broken: "}.append(rule_text(which)));
  if (!violation_.empty() || tolerated_.contains(which))
    return;
  violation_ = std::move(text);
  broken_ = which;
  time_.stop();
}

void history::print(std::ostream& out, std::size_t lines) const {
  for (auto at = lines_.size() - std::min(lines, lines_.size()); at < lines_.size(); ++at) {
    auto since = std::chrono::duration_cast<std::chrono::microseconds>(lines_[at].when.time_since_epoch() - 1h).count();
    auto rest = std::to_string(since % 1'000'000);
    out << since / 1'000'000 << '.' << std::string(6 - rest.size(), '0') << rest << "  "
        << lines_[at].text.substr(0, longest_line) << '\n';
  }
}

} // namespace troupe::tests::simulation
