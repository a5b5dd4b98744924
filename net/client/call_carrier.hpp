#pragma once

#include "net/client/http_client.hpp"
#include "protocol/remote/remote_effects.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace troupe::net {

/// Carries out the HTTP requests that a state machine decides on, and has its running calls by number. A call may be
/// sent again after it was dropped: each attempt has a number, so that late events of an earlier attempt are not taken
/// for those of the current one.
///
/// Used on the io thread only, except for the destructor, which follows the rule of `http_client`'s.
class call_carrier {
public:
  /// Receives the events of attempts; never from inside a call to the carrier, and not after its end.
  using on_event = std::function<void(protocol::call_event)>;

  call_carrier(std::shared_ptr<http_client_shared> connections, on_event tell)
      : client_{std::move(connections)}, tell_{std::make_shared<const on_event>(std::move(tell))} {}

  /// Sends a call. True if the call waits for a connection; `call_begun` follows then.
  bool send(protocol::send_call what);
  /// Aborts a call, if it is running.
  void drop(protocol::http_call_id call);
  void release(const protocol::release_call& which);
  /// Sends a last request, which may outlive the carrier for a moment. Callable from any thread.
  void send_last(protocol::send_last_request what);

  /// Notes an event; false if its attempt was superseded. To be called for each event before it is used, also if the
  /// event came through a mailbox.
  bool accept(const protocol::call_event& news);

private:
  struct attempt {
    std::uint64_t number;
    http_client::call_id id;
  };

  http_call_events events_of(protocol::http_call_id call) const;

  http_client client_;
  /// Shared with the events of every call.
  std::shared_ptr<const on_event> tell_;
  std::uint64_t attempts_ = 0;
  std::map<protocol::http_call_id, attempt> running_;
};

} // namespace troupe::net
