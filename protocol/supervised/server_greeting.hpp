#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// What a server answered to `initialize`: further clients of a shared server get the same answer.
struct server_greeting {
  /// The answer's `result`, as it stood there.
  std::string result;
  std::string version;
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  /// It takes requests of 2026-07-28 as well, as `message::claims_modern` of its answer says.
  bool takes_modern = false;

  /// A server that is shared takes its users for one: each would see the tasks of the others.
  void leave_out_tasks();
  /// The answer to another `initialize`. Its version is the one that is asked for, when that is known and older: what a
  /// newer server says stays readable for an older client. A server of 2026-07-28 is answered for in any.
  message answer_to(const message& initialize) const;
};

/// How the reason begins when a server has answered `initialize` with an error; its own words may follow.
inline constexpr std::string_view refused_to_initialize = "it refused to initialize";

/// Why a server cannot be used after its answer to `initialize`.
struct greeting_refused {
  std::string why;
};

std::variant<server_greeting, greeting_refused> read_greeting(const message& answer);

/// The `initialize` of the gateway itself, for a server that several clients share. It declares sampling and
/// elicitation, since such requests can go to the client whose call caused them; it does not declare roots, since those
/// of the clients differ.
std::string initialize_text(std::string_view id, std::string_view gateway_version);

} // namespace troupe::protocol
