#pragma once

#include "deploy/config/config_variables.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Whether a literal value under this name, of a variable, a header or a flag, is likely to be secret: by its name, or
/// because it begins as tokens of well-known services do. What refers to a variable is not, nor is a path.
bool looks_secret(std::string_view name, std::string_view value);

/// A part of a text that looks secret, and what it is called there.
struct found_secret {
  std::string_view name;
  std::string_view value;
};

/// The parts of a text under this name, from its beginning on: all of it, what follows `Bearer ` or the `=` of a flag,
/// the value of a header behind `--header` and of a variable behind `--env`, tokens of well-known services wherever
/// they stand, and the password and parameters of URLs.
std::vector<found_secret> secrets_in(std::string_view name, std::string_view text);

/// Secrets that were taken out of servers' entries, each under the name of the variable that stands for it.
using taken_secrets = std::map<std::string, std::string>;

/// How many values of an entry (in `env`, `headers`, `args` and `url`) look secret.
std::size_t count_secrets(const boost::json::object& entry);

/// Replaces secrets in `env`, `headers` and `args` by `${MCP_SERVER_NAME}`. Whoever wrote the entries, none of these
/// names means something to a shell or a loader, as `PATH` and `BASH_ENV` do.
class secret_taker {
public:
  /// What is mentioned in `texts`, or is set in the environment to something else, is no name for a secret.
  secret_taker(std::string texts, environment_lookup environment)
      : texts_(std::move(texts)), environment_(std::move(environment)) {}

  void take(std::string_view server, boost::json::object& entry);
  const taken_secrets& taken() const { return taken_; }

private:
  std::string variable_for(const std::string& name, const std::string& value);
  bool is_free(const std::string& name, const std::string& value) const;

  std::string texts_;
  environment_lookup environment_;
  taken_secrets taken_;
};

/// The lines `NAME='value'` of a file that shells and systemd read.
std::string secrets_text(const taken_secrets& secrets);

} // namespace troupe::deploy
