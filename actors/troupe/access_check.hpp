#pragma once

#include "gateway.hpp"

#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A tool, a prompt or a resource of a server.
struct asked_thing {
  enum class kind { tool, prompt, resource };
  kind is = kind::tool;
  std::string server;
  /// As the server itself calls it; the URI of a resource.
  std::string name;
};

/// Who asks, and for what.
struct access_question {
  /// A key or a token, which no answer shows.
  std::string secret = {};
  /// Without one, the name of a key or of a certificate.
  std::string name = {};
  /// Without that, whom a token of the issuer's may name, and what it is to have. What else it says is not known.
  std::string subject = {};
  std::vector<std::string> scopes = {};
  std::vector<std::string> groups = {};
  /// All that the gateway has when it is not given.
  std::optional<asked_thing> thing = {};
};

struct access_answer {
  /// Whether there is somebody who comes in, and who may use the thing if one is asked for.
  bool allowed = false;
  /// Who it is, what he may and by which rules, or why nobody: lines for the operator.
  std::string text;
};

/// What somebody may do at a gateway with these options, found out as that would without beginning it or a server:
/// reads the files of keys, and asks the issuer about a token. Whether a server has a thing is not looked at. Blocks
/// meanwhile. Throws as `check_options` does.
access_answer check_access(const gateway_options& options, const access_question& question);

} // namespace troupe
