#include "deploy/program/summary.hpp"

#include "deploy/log/log_line.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::deploy {

namespace {

constexpr std::size_t most_servers_shown = 20;

using rows = std::vector<std::pair<std::string, std::string>>;

/// Formats two columns, indented.
std::string table_of(const rows& of) {
  std::size_t width = 0;
  for (const auto& [left, right] : of)
    width = std::max(width, left.size());
  std::string result;
  for (const auto& [left, right] : of)
    result += "  " + left + std::string(width - left.size() + 2, ' ') + right + '\n';
  return result;
}

std::string source_of(const server_options& server) {
  if (const auto* const program = std::get_if<command_server>(&server.source))
    return program->shown.empty() ? program->program : program->shown;
  if (const auto* const remote = std::get_if<remote_server>(&server.source)) {
    std::string ignored;
    const auto url = protocol::parse_http_url(remote->url, ignored);
    return url ? url->host : std::string{};
  }
  return "part of the program";
}

std::string servers_of(const gateway_options& options) {
  rows result;
  for (const auto& server : options.servers)
    if (result.size() < most_servers_shown)
      result.emplace_back(escaped(server.name), escaped(source_of(server)));
  if (const auto more = options.servers.size() - result.size(); more > 0)
    result.emplace_back("...", "and " + std::to_string(more) + " more");
  return table_of(result);
}

std::string origin_of(bool tls, const std::string& host, std::uint16_t port) {
  return (tls ? "https://" : "http://") + protocol::host_port_text(host, port);
}

/// Returns the host by which local clients reach a gateway that listens on all addresses.
std::string host_here(const std::string& host) {
  if (host == "0.0.0.0")
    return "127.0.0.1";
  return host == "::" || host == "[::]" ? "::1" : host;
}

bool wants_credentials(const gateway_options& options) {
  return !options.auth.allow_anonymous && (!options.auth.keys_file.empty() || options.auth.issuer);
}

/// Describes the console and its token.
std::string console_text(const std::string& token_file) {
  const std::string result = "the console, for operators";
  return token_file.empty() ? result : result + "; it asks for the token in " + escaped(token_file);
}

std::string places_of(const gateway_options& options, const bound_ports& ports) {
  rows result{{url_of(options, ports.clients), options.merge ? "all servers as one" : "the server"}};
  if (!protocol::is_unix_socket(options.host)) {
    const auto origin = origin_of(options.tls.has_value(), host_here(options.host), ports.clients);
    result.emplace_back(origin + "/sse", "the same for clients of HTTP+SSE");
    if (options.servers.size() > 1)
      result.emplace_back(origin + "/servers/NAME/mcp", "one of them");
  }
  if (options.admin && protocol::is_unix_socket(options.admin->host))
    result.emplace_back(escaped(options.admin->host), "for operators");
  else if (options.admin)
    result.emplace_back(origin_of(false, options.admin->host, ports.operators) + '/', console_text(ports.token_file));
  return table_of(result);
}

std::string who_comes_in(const gateway_options& options) {
  std::vector<std::string> ways;
  if (!options.auth.keys_file.empty())
    ways.push_back("a key of " + escaped(options.auth.keys_file));
  if (options.auth.issuer)
    ways.push_back("a token of " + escaped(options.auth.issuer->url));
  if (options.tls && !options.tls->client_ca.empty())
    ways.emplace_back("a certificate");
  std::string result;
  for (const auto& way : ways)
    result += (result.empty() ? "Who has " : " or ") + way;
  if (options.auth.allow_anonymous)
    return "Everybody comes in who reaches this address.";
  return result.empty() ? "Whoever is on this machine comes in." : result + " comes in.";
}

/// Returns configurations for clients, with a placeholder for a key when one is required.
std::string for_clients(const std::string& url, bool with_key) {
  const std::string header = "Authorization: Bearer KEY";
  const std::string flag = with_key ? " --header \"" + header + '"' : "";
  const std::string member = with_key ? R"(, "headers": {"Authorization": "Bearer KEY"})" : "";
  const std::string words = with_key ? R"(, "--header", ")" + header + '"' : "";
  return table_of(
      {{"Claude Code", "claude mcp add --transport http troupe " + url + flag},
       {"other clients", R"({"mcpServers": {"troupe": {"type": "http", "url": ")" + url + '"' + member + "}}}"},
       {"stdio only",
        R"({"mcpServers": {"troupe": {"command": "troupe", "args": ["connect", ")" + url + '"' + words + "]}}}"}});
}

} // namespace

std::string url_of(const gateway_options& options, std::uint16_t port) {
  if (protocol::is_unix_socket(options.host))
    return escaped(options.host);
  return origin_of(options.tls.has_value(), options.host, port) + "/mcp";
}

std::string summary_of(const gateway_options& options, const bound_ports& ports) {
  const auto count = options.servers.size();
  auto result = "Troupe " TROUPE_VERSION " serves " + std::to_string(count) +
                (count == 1 ? " server:\n\n" : " servers:\n\n") + servers_of(options) + '\n' +
                places_of(options, ports) + '\n' + who_comes_in(options) + '\n';
  if (!protocol::is_unix_socket(options.host))
    result += "\nWhat clients take:\n\n" +
              for_clients(origin_of(options.tls.has_value(), host_here(options.host), ports.clients) + "/mcp",
                          wants_credentials(options));
  return result + "\nCtrl-C ends it once calls in flight have finished.\n\n";
}

} // namespace troupe::deploy
