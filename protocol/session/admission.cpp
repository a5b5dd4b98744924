#include "protocol/session/admission.hpp"

#include <chrono>
#include <utility>

namespace troupe::protocol {

namespace {

/// When a client that found all places taken may try again.
constexpr std::chrono::seconds busy_pause{5};

} // namespace

std::optional<rejection> refuse_session(const admission& at, std::string request) {
  if (!at.has_server)
    return server_not_found();
  if (at.is_stopping)
    return gateway_stops(std::move(request));
  if (at.is_full)
    return unavailable("too many sessions; --max-sessions allows more", std::move(request), busy_pause);
  return std::nullopt;
}

std::optional<rejection> refuse_restored(const admission& at) {
  if (!at.is_restored)
    return session_not_found();
  if (auto why = refuse_session(at))
    return why;
  return at.can_keep ? std::nullopt : std::optional{session_moves()};
}

bool is_kept(const admission& at, bool is_streamable_http) {
  return is_streamable_http && at.is_restored && at.can_keep;
}

} // namespace troupe::protocol
