#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_limits.hpp"
#include "protocol/catalog/catalog_members.hpp"
#include "protocol/catalog/list_cursors.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

struct catalog_parts;

/// Many servers presented to one session as one: facts in, effects out. Above it is a session, below it are servers
/// each of which answers every request once. Names of tools and prompts, URIs of resources, ids and progress tokens are
/// mapped; all else is relayed as it came.
///
/// A server that the session does not use is sent nothing: the first message starts it, and that is `initialize`.
///
/// The state is in the parts. The catalog gives every message to the part that it is for, and knows what a server's
/// answer to `initialize` and its end mean to several of them.
class catalog {
public:
  /// Cursors of its lists have that seal.
  catalog(const catalog_limits& limits, std::vector<catalog_server> servers, cursor_seal seal = {});
  ~catalog();
  catalog(catalog&&) noexcept;
  catalog& operator=(catalog&&) noexcept;

  // -- facts -----------------------------------------------------------------------
  catalog_effects client_sent(message from, time_point now);
  catalog_effects server_sent(std::uint64_t server, message from, time_point now);
  /// The server is gone; the next message to it starts it again. `is_shortage` when it could not be begun for lack of
  /// descriptors, memory or processes.
  catalog_effects server_lost(std::uint64_t server, const std::string& why, time_point now, bool is_shortage = false);
  /// The configuration changed. A server that was changed comes under another id.
  catalog_effects servers_changed(std::vector<catalog_server> servers, time_point now);
  catalog_effects tick(time_point now);

  /// When `tick` has something to do.
  time_point deadline() const;

  // -- for who looks from outside
  std::size_t calls_in_flight() const;
  /// Our own, of which a call may need several.
  std::size_t requests_in_flight() const;
  std::size_t questions_in_flight() const;
  /// The client's ids of its requests that the server is at whose question the client was told: it can be about no
  /// other.
  std::vector<std::string> calls_of(const message& question) const;

private:
  using effects = catalog_effects;

  void take_client_notification(message from, time_point now, effects& out);
  void take_question(std::uint64_t server, message from, effects& out);
  void take_server_notification(catalog_member& one, message from, effects& out);
  void take_answer(std::uint64_t own, message from, time_point now, effects& out);
  void take_greeting(catalog_member& one, const message& from, time_point now, effects& out);
  void fail(std::uint64_t own, std::string_view why, time_point now, effects& out,
            call_outcome how = failed_with(error_code::internal_error), bool is_shortage = false);

  // -- servers that go
  void abandon(std::uint64_t server, const std::string& why, time_point now, effects& out, bool is_shortage = false);
  void remove(catalog_member gone, time_point now, effects& out);
  void let_go(time_point now, effects& out);

  /// nullptr once a server was lost whose loss ends the session.
  std::unique_ptr<catalog_parts> parts_;
};

} // namespace troupe::protocol
