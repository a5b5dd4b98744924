#include "protocol/supervised/server_life.hpp"

#include "protocol/text/words.hpp"

#include <algorithm>

namespace troupe::protocol {

namespace {

/// Longest reported reason of a loss, in bytes.
constexpr std::size_t longest_why = 300;

/// Pause before a prevented start is tried again.
constexpr std::chrono::seconds try_again{1};

/// First line of the reason, cut to fit an error text; never a stack trace.
std::string short_of(std::string_view why) { return one_line(why.substr(0, why.find_first_of("\r\n")), longest_why); }

} // namespace

void server_life::start(server_effects& out) {
  status_.restarts += is(phase::idle) ? 0 : 1;
  show(phase::starting, {}, out);
}

void server_life::ready(time_point now, server_effects& out) {
  restarts_.ready(now);
  has_answered_ = false;
  show(phase::ready, {}, out);
}

void server_life::lost(std::string_view why, time_point now) {
  status_.why = short_of(why);
  ++failures_;
  auto pause = restarts_.lost(now);
  not_before_ = now + pause.length;
  rests_ = pause.rests;
  prevented_ = false;
}

void server_life::forget_failures(time_point now) {
  restarts_.forget_failures();
  not_before_ = now;
  rests_ = false;
}

void server_life::ended(std::string_view why, time_point now) {
  status_.why = short_of(why);
  prevented_ = false;
  forget_failures(now);
}

/// Restarts without a pause only after an answer, so that these never outnumber the users' requests.
void server_life::expired(std::string_view why, time_point now) {
  if (has_answered_)
    ended(why, now);
  else
    lost(why, now);
}

void server_life::prevented(std::string_view why, time_point now) {
  status_.why = short_of(why);
  ++failures_;
  not_before_ = now + try_again;
  rests_ = false;
  prevented_ = true;
}

void server_life::pause(time_point now, server_effects& out) {
  auto length = std::chrono::ceil<std::chrono::milliseconds>(not_before_ - now);
  show(rests_ ? phase::resting : phase::waiting, length, out);
}

void server_life::idle(server_effects& out) { show(phase::idle, {}, out); }

std::string server_life::why_absent(time_point now) const {
  if (!down())
    return "The MCP server is not there for this: initialize comes first";
  auto rest = seconds_text(std::chrono::ceil<std::chrono::milliseconds>(std::max(not_before_ - now, {})));
  auto how = is(phase::resting) ? "keeps stopping" : "is being restarted";
  return std::string{"The MCP server "} + how + ", the next try is in " + rest + "; it stopped: " + status_.why;
}

void server_life::show(phase is, std::chrono::milliseconds pause, server_effects& out) {
  status_.is = is;
  status_.pause = pause;
  out.push_back(show_status{status_});
}

} // namespace troupe::protocol
