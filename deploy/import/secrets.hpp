#pragma once

#include "deploy/config/config_variables.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// True if a literal value of this variable, header or flag is likely to be secret. Evidence is the name, or a
/// beginning as of tokens of well-known services. False for references to variables, and for paths.
bool looks_secret(std::string_view name, std::string_view value);

/// Part of a text that looks secret, and its name.
struct found_secret {
  std::string_view name;
  std::string_view value;
};

/// Returns the parts of a text that look secret, in order: all of it, or the part after `Bearer ` or a flag's `=`. Also
/// values of `--header` and `--env`, tokens of well-known services anywhere, and passwords and parameters of URLs.
std::vector<found_secret> secrets_in(std::string_view name, std::string_view text);

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
