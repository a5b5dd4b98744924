#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

// Answers of a session-era server as stateless (2026-07-28) clients read them.

/// Context of an answer: its request, client and server.
struct modern_reader {
  exchange_id exchange = 0;
  /// Client's id of the request, a JSON token.
  std::string_view id;
  std::string_view method;
  /// Param `uri` of the request, a JSON token; empty if there is none.
  std::string_view uri;
  /// Server's `serverInfo`, a JSON token; empty if there is none.
  std::string_view server_info;
  client_profile can = {};
};

/// Returns the answer for the client. Results are marked complete and name their server. They must not be cached,
/// unless already in words of 2026-07-28. Errors get a code of 2026-07-28; a `wrong_refusal` becomes an internal error.
send_response modern_answer(message answer, const modern_reader& reader);

/// Returns the answer of a stateless (2026-07-28) server with only its id replaced. Adds a missing `resultType`; a
/// result that is no object and a `wrong_refusal` become internal errors.
send_response passed_answer(message answer, const modern_reader& reader);

/// Returns an error of the gateway itself; `data` is a JSON token, empty for none.
send_response refused_request(exchange_id exchange, std::string_view id, int code, std::string_view why,
                              std::string_view data = {});

/// Returns the error for a client that lacks a required capability (2026-07-28, basic).
send_response lacks_capabilities(exchange_id exchange, std::string_view id, const client_profile& needed,
                                 std::string_view why);

/// Returns the members that 2026-07-28 adds to a server's result, without braces and outer commas.
std::string result_members(std::string_view type, std::string_view server_info);

} // namespace troupe::protocol
