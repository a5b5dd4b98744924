#include "protocol/session/session_admission.hpp"

#include "protocol/rejection.hpp"

#include <chrono>
#include <utility>

namespace troupe::protocol {

namespace {

/// When a client that found all places taken may try again.
constexpr std::chrono::seconds busy_pause{5};

} // namespace

void session_admission::join_cluster(bool has_store) {
  has_store_ = has_store;
  stopping_.join_cluster();
}

std::optional<rejection> session_admission::refuse(std::string_view path, std::string request) const {
  if (paths_.lead_to_nobody(path))
    return server_not_found();
  if (!stopping_.takes_new())
    return gateway_stops(std::move(request));
  return std::nullopt;
}

rejection session_admission::refuse_for_room(const std::string& address, std::string request) const {
  if (places_.is_full_for(address))
    return too_many_requests("this client has limits.perAddress.sessions in use", busy_pause, std::move(request));
  return unavailable("too many sessions are in use; --max-sessions allows more", std::move(request), busy_pause);
}

bool session_admission::keeps(transport via, std::string_view path, bool is_ours) const {
  return has_store_ && is_ours && via == transport::streamable_http && paths_.restore(path);
}

std::variant<session_record, rejection> session_admission::restore(std::string_view record, bool is_ours) const {
  auto known = read_record(record);
  if (!known || !paths_.restore(known->path))
    return session_not_found();
  if (auto why = refuse(known->path, {}))
    return std::move(*why);
  if (places_.is_full())
    return refuse_for_room({}, {});
  if (!keeps(transport::streamable_http, known->path, is_ours))
    return session_moves();
  return std::move(*known);
}

} // namespace troupe::protocol
