#pragma once

#include "protocol/message/message.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace troupe::protocol {

/// Answer of a server to `initialize`, reused for further clients of a shared server.
struct initialize_outcome {
  /// `result` member of the answer, verbatim.
  std::string result;
  std::string version;
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  /// True if the server also takes requests of 2026-07-28, as `message::claims_modern` of its answer says.
  bool takes_modern = false;

  /// Removes the tasks capability. A shared server takes its users for one, so each would see the others' tasks.
  void leave_out_tasks();
  /// Returns the answer to another `initialize`. Its version is the requested one when that is known and older, since
  /// an older client can read a newer server. For a stateless (2026-07-28) server any version is answered.
  message answer_to(const message& initialize) const;
};

/// Start of the reason when a server answered `initialize` with an error; the server's own text may follow.
inline constexpr std::string_view refused_to_initialize = "it refused to initialize";

/// Reason why a server cannot be used after its answer to `initialize`.
struct initialize_failure {
  std::string why;
};

std::variant<initialize_outcome, initialize_failure> read_initialize_outcome(const message& answer);

/// Returns the gateway's own `initialize` for a server that several clients share. It declares sampling and
/// elicitation, since such requests can go to the client whose call caused them. It does not declare roots, since each
/// client has its own.
std::string initialize_text(std::string_view id, std::string_view gateway_version);

} // namespace troupe::protocol
