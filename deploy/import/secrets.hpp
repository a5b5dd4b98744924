#pragma once

#include "deploy/config/config_variables.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Secrets that were removed from entries, by the name of the variable that replaces each.
using taken_secrets = std::map<std::string, std::string>;

/// Counts the values of an entry (in `env`, `headers`, `args` and `url`) that look secret.
std::size_t count_secrets(const boost::json::object& entry);

/// Replaces secrets in `env`, `headers` and `args` by `${MCP_SERVER_NAME}`. Entries are untrusted: with this prefix no
/// name means something to a shell or a loader, as `PATH` and `BASH_ENV` do.
class secret_taker {
public:
  /// Names that occur in `texts`, or are set in the environment to another value, are not used.
  secret_taker(std::string texts, environment_lookup environment)
      : texts_(std::move(texts)), environment_(std::move(environment)) {}

  void extract_from(std::string_view server, boost::json::object& entry);
  const taken_secrets& taken() const { return taken_; }

private:
  std::string variable_for(const std::string& name, const std::string& value);
  bool is_free(const std::string& name, const std::string& value) const;

  std::string texts_;
  environment_lookup environment_;
  taken_secrets taken_;
};

/// Formats the secrets as lines `NAME='value'`, for a file that shells and systemd read.
std::string secrets_text(const taken_secrets& secrets);

} // namespace troupe::deploy
