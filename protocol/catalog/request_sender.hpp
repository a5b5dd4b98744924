#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/member_requests.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// Sends requests to servers, each under an id of ours. A server that is not initialised is sent the client's own
/// `initialize` first, and the requests wait until it has answered.
class request_sender {
public:
  /// `most_waiting` bytes of the client's requests may wait for servers that are not initialised.
  request_sender(catalog_members& members, member_request_table& requests, std::size_t most_waiting)
      : members_{members}, requests_{requests}, most_waiting_{most_waiting} {}

  /// The servers that it sends to.
  catalog_members& members() { return members_; }

  /// The client's `initialize`. Nothing is sent before it.
  void begin(message&& hello) {
    reads_modern_ = hello.claims_modern;
    hello_ = std::move(hello.text);
  }
  /// Its text; empty before it.
  const std::string& hello() const { return hello_; }
  /// Whether it came from a client of 2026-07-28.
  bool reads_modern() const { return reads_modern_; }

  /// Whether the client's request may wait for so many servers that are not initialised. If not, it is refused.
  bool may_wait(const message& request, std::size_t servers, catalog_effects& out) const;
  /// Sends a request, or lets it wait. Gives our id of it.
  std::uint64_t ask(catalog_member& to, message what, member_request how, catalog_effects& out);
  /// Lets one server answer a request of the client, unless it may not wait. The answer has URIs as its shape says.
  void call(catalog_member& to, message what, result_shape shape, catalog_effects& out);
  /// Sends `initialize`, unless that was done.
  void greet(catalog_member& one, catalog_effects& out);
  /// Sends what waited for a server that is ready now.
  void send_waiting(catalog_member& one, catalog_effects& out);

  /// Nobody waits for the answers to what serves a request of the client any more. `cancelled` is a
  /// `notifications/cancelled`, in which our ids replace the id.
  void withdraw_all(std::string_view client_id, const message& cancelled, catalog_effects& out);
  /// Nobody waits for the answer to one request any more; nothing happens when it was answered.
  void withdraw(std::uint64_t own, const message& cancelled, catalog_effects& out);
  /// The answers of a server to requests of a kind do not matter any more; it is not told.
  void forget(std::uint64_t server, member_request::kind is);
  /// A list goes out without this page, whose answer is still of interest until then. False when the server was not
  /// sent the request and will not be.
  bool make_late(std::uint64_t own, time_point until);
  /// A server's `notifications/progress`. That of one server's part in a list or in a search says nothing about the
  /// whole, and is dropped.
  void progress(std::uint64_t server, message from, catalog_effects& out) const;

private:
  std::size_t waiting_bytes() const;

  catalog_members& members_;
  member_request_table& requests_;
  std::size_t most_waiting_;
  std::string hello_;
  bool reads_modern_ = false;
};

} // namespace troupe::protocol
