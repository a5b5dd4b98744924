#pragma once

#include "gateway.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A tool, prompt or resource of a server.
struct asked_thing {
  enum class kind { tool, prompt, resource };
  kind is = kind::tool;
  std::string server;
  /// Name that the server itself uses, without a prefix; for a resource, its URI.
  std::string name;
};

/// Identity whose access is checked, and the thing that it wants to use.
struct access_question {
  /// Key or token; never part of the answer.
  std::string secret = {};
  /// Name of a key or certificate; used if `secret` and `subject` are empty.
  std::string name = {};
  /// Subject of a token, with the scopes and groups of that token; used if `secret` is empty. Other claims are unknown.
  std::string subject = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// Tool, prompt or resource; if not set, access to all servers is reported.
  std::optional<asked_thing> thing = {};
};

struct access_answer {
  /// True if the identity may authenticate and, if a thing is given, may use it.
  bool allowed = false;
  /// Lines for the operator: the caller, its permissions and the rules behind them, or the reason for a refusal.
  std::string text;
};

/// Reports the access that a gateway with these options would grant, without starting the gateway or a server. Reads
/// the key files, and queries the issuer about a token. Does not check whether a server has the thing. Blocks until
/// done. Throws as `check_options` does.
access_answer check_access(const gateway_options& options, const access_question& question);

} // namespace troupe
