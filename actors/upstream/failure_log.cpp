#include "actors/upstream/failure_log.hpp"

#include "actors/runtime/calendar.hpp"

#include <vector>

namespace troupe::actors {

namespace {

using log_fields = std::vector<std::pair<std::string, std::string>>;

void add_if_any(log_fields& to, const char* name, std::string value) {
  if (!value.empty())
    to.emplace_back(name, std::move(value));
}

/// Adds when the server is tried again after `pause`; only for a user if that is empty.
void add_next_try(log_fields& to, std::optional<std::chrono::milliseconds> pause,
                  std::chrono::system_clock::time_point now) {
  if (!pause)
    to.emplace_back("next_try", "when a client needs it");
  else if (pause->count() == 0)
    to.emplace_back("next_try", "now");
  else {
    to.emplace_back("next_try_in", protocol::seconds_text(*pause));
    to.emplace_back("next_try_at", protocol::utc_text(std::chrono::ceil<std::chrono::seconds>(now + *pause)));
  }
}

} // namespace

void failure_log::failed(const upstream_failure& what, protocol::time_point now) const {
  const auto at = time_of_day(now);
  const auto why = masked(what.why);
  log_fields facts{{"server", server_}};
  add_if_any(facts, "session", what.session);
  if (!what.is_shortage) {
    auto [count, line] = diagnostics_->with([&](auto& known) {
      auto said = known.failed({at, why, what.run.age, what.run.pid, what.session}).telling_line();
      return std::pair{known.failure_count(), std::move(said)};
    });
    facts.emplace_back("failures", std::to_string(count));
    add_if_any(facts, "stderr", std::move(line));
  }
  facts.emplace_back("why", why);
  if (what.run.pid != 0)
    facts.emplace_back("after", protocol::seconds_text(what.run.age));
  add_next_try(facts, what.next_try, at);
  log_(what.is_resting ? log_level::error : log_level::warning,
       what.is_shortage ? "server cannot be started now" : "server failed", std::move(facts));
}

void failure_log::refused(const std::string& why, std::chrono::milliseconds pause, protocol::time_point now) const {
  log_fields facts{{"server", server_}, {"why", masked(why)}};
  add_next_try(facts, pause, time_of_day(now));
  log_(log_level::error, "server is not started for new sessions", std::move(facts));
}

std::function<void(std::string why)> failure_log::obstacle_writer() const {
  return [log = log_, server = server_](std::string why) {
    log(log_level::warning, "server cannot work", {{"server", server}, {"why", std::move(why)}});
  };
}

} // namespace troupe::actors
