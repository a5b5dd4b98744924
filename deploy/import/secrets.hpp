#pragma once

#include <boost/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::deploy {

/// Whether a literal value under this name, of a variable, a header or a flag, is likely to be secret: by its name, or
/// because it begins as tokens of well-known services do. What refers to a variable is not.
bool looks_secret(std::string_view name, std::string_view value);

/// Secrets that were taken out of servers' entries, each under the name of the variable that stands for it.
using taken_secrets = std::map<std::string, std::string>;

/// How many values of an entry (in `env`, `headers`, `args` and `url`) look secret.
std::size_t count_secrets(const boost::json::object& entry);

/// Replaces those in `env`, `headers` and `args` by `${NAME}`.
void take_secrets(std::string_view server, boost::json::object& entry, taken_secrets& taken);

/// The lines `NAME='value'` of a file that shells and systemd read.
std::string secrets_text(const taken_secrets& secrets);

} // namespace troupe::deploy
