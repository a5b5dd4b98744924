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

/// Sends requests to servers, each under our id. A server that is not initialised first gets the client's own
/// `initialize`; the requests wait until it has answered.
class request_sender {
public:
  /// `most_waiting`: most bytes of client requests that wait for servers that are not initialised.
  request_sender(catalog_members& members, member_request_table& requests, std::size_t most_waiting)
      : members_{members}, requests_{requests}, most_waiting_{most_waiting} {}

  /// Servers of the session.
  catalog_members& members() { return members_; }

  /// Takes the client's `initialize`. No request is sent before.
  void begin(message&& hello) {
    reads_modern_ = hello.claims_modern;
    hello_ = std::move(hello.text);
  }
  /// Text of the client's `initialize`; empty before it.
  const std::string& hello() const { return hello_; }
  /// True if `initialize` is from a stateless (2026-07-28) client.
  bool reads_modern() const { return reads_modern_; }

  /// True if the client's request may wait for that many servers that are not initialised. Otherwise refuses it.
  bool may_wait(const message& request, std::size_t servers, catalog_effects& out) const;
  /// Sends a request, or queues it. Returns our id.
  std::uint64_t ask(catalog_member& to, message what, member_request how, catalog_effects& out);
  /// Sends a client's request to one server, if it may wait. `shape` shows where the answer has URIs.
  void call(catalog_member& to, message what, result_shape shape, catalog_effects& out);
  /// Sends `initialize`, unless that was done.
  void greet(catalog_member& one, catalog_effects& out);
  /// Sends the queued requests of a server that is ready.
  void send_waiting(catalog_member& one, catalog_effects& out);

  /// Withdraws all requests that serve a request of the client. Our ids replace the id in the cancellation.
  void withdraw_all(std::string_view client_id, const message& cancelled, catalog_effects& out);
  /// Withdraws one request; does nothing if it was answered.
  void withdraw(std::uint64_t own, const message& cancelled, catalog_effects& out);
  /// Ignores a server's answers to requests of a kind, without cancelling them at the server.
  void forget(std::uint64_t server, member_request::kind is);
  /// Marks a page as late: its list goes out without it, and its answer is awaited until `until`. False if the server
  /// was not sent the request, which is then dropped.
  bool make_late(std::uint64_t own, time_point until);
  /// Passes on a server's progress. Drops progress of a list's part or a search, which says nothing about the whole.
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
