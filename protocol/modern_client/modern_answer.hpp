#pragma once

#include "protocol/ids.hpp"
#include "protocol/message/client_profile.hpp"
#include "protocol/message/message.hpp"
#include "protocol/modern_client/stateless_effects.hpp"

#include <string>
#include <string_view>

namespace troupe::protocol {

// Answers of a server of the session era as clients of 2026-07-28 read them.

/// What the answer depends on besides itself.
struct modern_reader {
  exchange_id exchange = 0;
  /// The client's id for the request, a JSON token.
  std::string_view id;
  std::string_view method;
  /// The `uri` among its params, a JSON token; empty when it has none.
  std::string_view uri;
  /// The server's `serverInfo`, a JSON token; empty when it has none.
  std::string_view server_info;
  client_profile can = {};
};

/// The answer as the client gets it: a result says that it is complete and which server gave it, and that it must not
/// be kept unless the answer itself is in words of 2026-07-28; an error has a code that 2026-07-28 knows. What is a
/// `wrong_refusal` is an internal error.
give_answer modern_answer(message answer, const modern_reader& reader);

/// The answer of a server of 2026-07-28, as it is but for its id: only a result without `resultType` gets one, and what
/// no client should get is an internal error, a result that is no object and a `wrong_refusal`.
give_answer passed_answer(message answer, const modern_reader& reader);

/// An error of the gateway's own; `data` is a JSON token, empty for none.
give_answer refused_request(exchange_id exchange, std::string_view id, int code, std::string_view why,
                            std::string_view data = {});

/// The error for a client that lacks what is needed of it (2026-07-28, basic).
give_answer lacks_capabilities(exchange_id exchange, std::string_view id, const client_profile& needed,
                               std::string_view why);

/// The members that a result has in 2026-07-28 beside the server's own, braces and outer commas left out.
std::string result_members(std::string_view type, std::string_view server_info);

} // namespace troupe::protocol
