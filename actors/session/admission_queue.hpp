#pragma once

#include "actors/session/registry_parts.hpp"
#include "protocol/rejection.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace troupe::actors {

/// Admission of sessions and leases: by what the registry knows, then by the host's decision, for which requests wait
/// here, then by the room that there is. Ends idle sessions to make room.
class admission_queue {
public:
  using request = std::variant<client_post, client_listen>;

  /// `parts` outlives it.
  explicit admission_queue(registry_parts& parts) : parts_{parts} {}

  /// Whether a session or lease begins now. Otherwise the request was refused, or waits for the host.
  template <class Message>
  bool may_begin(Message& msg);
  /// Whether a request awaits the host's answer to this question.
  bool awaits(std::uint64_t question) const { return undecided_.contains(question); }
  /// Returns the request that waited for a decision of the host, unless the host refuses it; empty when there is none.
  std::optional<request> decided(session_decided& msg);
  /// Handles a request that the host has agreed to: `may_begin` does not query the host again meanwhile.
  void resume(request what, const std::function<void(request&)>& handle);
  /// True while a request is handled that the host has agreed to.
  bool is_resuming() const { return is_resuming_; }
  /// True if no request waits for the host.
  bool is_empty() const { return undecided_.empty(); }
  /// Ends one idle session when descriptors, memory or processes run out, so that a retry finds room. No caller ends
  /// sessions of callers that hold fewer than it does.
  void end_one_for(const shortage_found& msg);

private:
  template <class Message>
  bool awaits_host(Message& msg);
  std::optional<protocol::rejection> refuse_at(const request_head& of) const;
  std::optional<protocol::rejection> make_room(const std::string& address, const std::string& request);
  known_session* find_scarce(std::size_t least);
  bool holds_something_scarce(const known_session& one) const;

  registry_parts& parts_;
  /// Requests that await the host's decision, by question.
  std::map<std::uint64_t, request> undecided_;
  std::uint64_t last_question_ = 0;
  bool is_resuming_ = false;
  protocol::time_point next_shortage_warning_ = {};
};

} // namespace troupe::actors
