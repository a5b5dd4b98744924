#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/list_page.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

struct catalog_parts;

/// Presents many servers to one session as one: facts in, effects out. Above it is a session; below it are servers,
/// each of which answers every request once. Maps names of tools and prompts, resource URIs, ids and progress tokens;
/// relays the rest unchanged.
///
/// A server that the session does not use is sent nothing: its first message is `initialize`, which starts it.
///
/// The parts hold the state. The catalog routes each message to its part. It handles the answers to `initialize` and
/// the ends of servers, which concern several parts.
class catalog {
public:
  /// Seals the cursors of merged lists with `seal`.
  catalog(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal = {});
  ~catalog();
  catalog(catalog&&) noexcept;
  catalog& operator=(catalog&&) noexcept;

  // -- facts -----------------------------------------------------------------------
  catalog_effects client_sent(message from, time_point now);
  catalog_effects server_sent(std::uint64_t server, message from, time_point now);
  /// Handles the exit of a server; the next message to it starts it again. `is_shortage`: it could not be started for
  /// lack of descriptors, memory or processes.
  catalog_effects server_lost(std::uint64_t server, const std::string& why, time_point now, bool is_shortage = false);
  /// Applies a new configuration. A server whose settings changed has a new id.
  catalog_effects servers_changed(std::vector<catalog_server> servers, time_point now);
  catalog_effects tick(time_point now);

  /// Time of the next `tick`.
  time_point deadline() const;

  // -- for who looks from outside
  std::size_t calls_in_flight() const;
  /// Counts our own requests to servers; a call may need several.
  std::size_t requests_in_flight() const;
  std::size_t questions_in_flight() const;
  /// Returns the client's ids of its requests in flight at the server that asked `question`, as the client received it.
  /// The question can concern no others.
  std::vector<std::string> calls_of(const message& question) const;

private:
  using effects = catalog_effects;

  void receive_client_notification(message from, time_point now, effects& out);
  void receive_server_request(std::uint64_t server, message from, effects& out);
  void receive_server_notification(catalog_member& one, message from, effects& out);
  void receive_response(std::uint64_t own, message from, time_point now, effects& out);
  void receive_initialize(catalog_member& one, const message& from, time_point now, effects& out);
  void fail(std::uint64_t own, std::string_view why, time_point now, effects& out,
            call_outcome how = failed_with(error_code::internal_error), bool is_shortage = false);

  // -- servers that go
  void abandon(std::uint64_t server, const std::string& why, time_point now, effects& out, bool is_shortage = false);
  void remove(catalog_member gone, time_point now, effects& out);
  void let_go(time_point now, effects& out);

  /// nullptr after the loss of a server that ends the session.
  std::unique_ptr<catalog_parts> parts_;
};

} // namespace troupe::protocol
