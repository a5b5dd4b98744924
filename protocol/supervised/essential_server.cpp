#include "protocol/supervised/essential_server.hpp"

#include "protocol/supervised/initialize_outcome.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

/// Pause before the next trial when a trial ended through no fault of the server.
constexpr std::chrono::seconds try_essential_again{1};

/// Omits the server's own error text, which not every reader of the readiness may see.
std::string shown_failure(std::string_view why) {
  if (why.starts_with(refused_to_initialize))
    return std::string{refused_to_initialize} + "; the log tells more";
  return "it does not start: " + std::string{why};
}

} // namespace

essential_effects essential_server::begin() {
  essential_effects out;
  if (how_ == begun::by_trial)
    try_it(out);
  show(how_ == begun::by_users ? std::string{} : std::string{not_greeted_yet}, out);
  return out;
}

essential_effects essential_server::showed(const server_status& status, bool is_trial) {
  using phase = server_status::phase;
  essential_effects out;
  if (is_retired_)
    return out;
  if (status.is == phase::idle)
    return ended();
  if (status.is == phase::ready) {
    end_trial_if_any(out);
    show({}, out);
  } else if (status.is != phase::starting || (is_trial && !status.why.empty())) {
    show(shown_failure(status.why), out);
  }
  return out;
}

essential_effects essential_server::start_failed(const std::string& why,
                                                 std::optional<std::chrono::milliseconds> refused, time_point now) {
  essential_effects out;
  if (is_retired_ || how_ == begun::for_all)
    return out;
  if (how_ == begun::by_trial)
    try_it(out);
  else if (refused) {
    refused_until_ = now + *refused;
    show(shown_failure(why), out);
  }
  return out;
}

/// Ignored for a trial, whose status reports readiness: a first message proves less than an answer to `initialize`.
essential_effects essential_server::spoke() {
  essential_effects out;
  if (how_ != begun::by_users || is_retired_)
    return out;
  refused_until_ = time_point::max();
  show({}, out);
  return out;
}

essential_effects essential_server::ended() {
  essential_effects out;
  if (!is_retired_ && how_ == begun::for_all)
    try_it(out);
  return out;
}

void essential_server::trial_lost(time_point now) {
  is_tried_ = false;
  try_at_ = is_retired_ ? time_point::max() : now + try_essential_again;
}

essential_effects essential_server::retire() {
  essential_effects out;
  is_retired_ = true;
  refused_until_ = try_at_ = time_point::max();
  end_trial_if_any(out);
  return out;
}

essential_effects essential_server::tick(time_point now) {
  auto out = now >= refused_until_ ? spoke() : essential_effects{};
  if (now >= try_at_)
    try_it(out);
  return out;
}

void essential_server::try_it(essential_effects& out) {
  try_at_ = time_point::max();
  if (!std::exchange(is_tried_, true))
    out.push_back(begin_trial{});
}

void essential_server::end_trial_if_any(essential_effects& out) {
  if (std::exchange(is_tried_, false))
    out.push_back(end_trial{});
}

void essential_server::show(std::string why_not, essential_effects& out) {
  if (why_not_ == why_not)
    return;
  why_not_ = why_not;
  out.push_back(show_readiness{std::move(why_not)});
}

} // namespace troupe::protocol
