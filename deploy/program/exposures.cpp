#include "deploy/program/exposures.hpp"

#include "protocol/text/found_secrets.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <variant>

namespace troupe::deploy {

namespace {

bool is_root(const server_options& server) {
  const auto* const program = std::get_if<command_server>(&server.source);
  return program && (program->user.empty() || program->user == "root" || program->user == "0");
}

/// Minimum size of a secret to search for: shorter values occur in a file by chance.
constexpr std::size_t shortest_found = 6;

using named_values = std::vector<std::pair<std::string, std::string>>;

void add_secrets_in(const named_values& values, std::vector<std::string_view>& to) {
  for (const auto& [name, value] : values)
    for (const auto& secret : protocol::secrets_in(name, value))
      to.push_back(secret.value);
}

/// Returns the secret values of the options, from the file or elsewhere.
std::vector<std::string_view> secrets_of(const gateway_options& options) {
  std::vector<std::string_view> result;
  for (const auto& server : options.servers) {
    if (const auto* const program = std::get_if<command_server>(&server.source))
      add_secrets_in(program->environment, result);
    if (const auto* const remote = std::get_if<remote_server>(&server.source)) {
      add_secrets_in(remote->headers, result);
      if (remote->auth)
        result.push_back(remote->auth->client_secret);
    }
  }
  if (options.auth.issuer)
    result.push_back(options.auth.issuer->client_secret);
  if (options.cluster) {
    if (options.cluster->key_file.empty())
      result.push_back(options.cluster->key);
    for (const auto& secret : protocol::secrets_in("store", options.cluster->store))
      result.push_back(secret.value);
  }
  return result;
}

bool is_of_word(char one) { return one == '_' || one == '-' || std::isalnum(static_cast<unsigned char>(one)) != 0; }

/// True if a value may begin after `before`. Words in comments follow a blank.
bool is_before_value(std::string_view before) {
  return before.empty() || before.ends_with("Bearer ") || (!is_of_word(before.back()) && before.back() != ' ');
}

/// True if the text has `words` as a value, not as a part of other words.
bool has_words(std::string_view text, std::string_view words) {
  for (auto at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    const auto end = at + words.size();
    if (is_before_value(text.substr(0, at)) && (end == text.size() || !is_of_word(text[end])))
      return true;
  }
  return false;
}

/// True if the file contains a secret value itself, not only the name of a variable.
bool has_secrets(const std::string& path, const gateway_options& options) {
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  return std::ranges::any_of(secrets_of(options), [&](std::string_view secret) {
    return secret.size() >= shortest_found && has_words(text, secret);
  });
}

bool has_secret_headers(const remote_server& one) {
  return std::ranges::any_of(one.headers,
                             [](auto& field) { return !protocol::secrets_in(field.first, field.second).empty(); });
}

/// True if the server gets credentials over an unencrypted connection (RFC 6750, 5.3).
bool is_shown_in_clear(const remote_server& one) {
  std::string why_not;
  const auto to = protocol::parse_http_url(one.url, why_not);
  return to && !to->is_confidential() && (one.auth || has_secret_headers(one));
}

class exposure_report {
public:
  void look(const char* key, const std::string& path, bool is_secret) {
    struct stat file {};
    if (path.empty() || ::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode))
      return;
    if ((file.st_mode & S_IWOTH) != 0)
      warn(key, path, "any user of this machine can change it: chmod o-w");
    if (is_secret && (file.st_mode & S_IROTH) != 0)
      warn(key, path, "has a secret, and any user of this machine can read it: chmod o-r");
  }
  void warn_of_open_admin() {
    problems_.push_back({severity::warning, 0, "gateway.admin.open",
                         "operators are asked for no token: every server, and every tool that fetches URLs on this "
                         "machine, can query and command the gateway; without it operators' commands find the token "
                         "that the gateway makes"});
  }
  void look(const server_options& server) {
    const auto* const remote = std::get_if<remote_server>(&server.source);
    if (remote && is_shown_in_clear(*remote))
      problems_.push_back({severity::warning, 0, "mcpServers." + server.name + ".url",
                           "credentials are sent in clear, and anybody on the way can read them: use https"});
  }
  std::vector<config_problem> release() { return std::move(problems_); }

private:
  void warn(const char* key, const std::string& path, const char* text) {
    problems_.push_back({severity::warning, 0, key, path + ": " + text});
  }

  std::vector<config_problem> problems_;
};

} // namespace

root_servers servers_as_root(const std::vector<server_options>& servers) {
  root_servers result;
  if (::geteuid() != 0)
    return result;
  for (const auto& one : servers)
    if (is_root(one))
      result.names += (result.names.empty() ? "" : ", ") + one.name;
  if (!result.names.empty())
    result.text = "servers run as root and can read all secrets of the gateway: set \"user\" for each";
  return result;
}

std::vector<config_problem> exposures(const gateway_options& options, const std::string& config) {
  exposure_report report;
  report.look("", config, has_secrets(config, options));
  report.look("gateway.auth.keys", options.auth.keys_file, false); // contains hashes only
  if (options.tls) {
    report.look("gateway.tls.key", options.tls->private_key, true);
    report.look("gateway.tls.cert", options.tls->certificate, false);
    report.look("gateway.tls.clientCa", options.tls->client_ca, false);
  }
  for (const auto& server : options.servers)
    report.look(server);
  if (options.admin && options.admin->open)
    report.warn_of_open_admin();
  if (options.admin)
    report.look("gateway.admin.tokenFile", options.admin->token_file, true);
  if (options.cluster) {
    report.look("gateway.cluster.keyFile", options.cluster->key_file, true);
    report.look("gateway.cluster.tls.key", options.cluster->private_key, true);
    report.look("gateway.cluster.tls.cert", options.cluster->certificate, false);
    report.look("gateway.cluster.tls.ca", options.cluster->ca_file, false);
  }
  return report.release();
}

} // namespace troupe::deploy
