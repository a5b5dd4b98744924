#include "deploy/operator/operator_token.hpp"

#include "deploy/config/file_text.hpp"
#include "deploy/log/log_line.hpp"
#include "deploy/operator/token_folders.hpp"
#include "net/private_folder.hpp"
#include "protocol/options/admin_token.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/url.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <unistd.h>

namespace troupe::deploy {

namespace {

constexpr auto token_variable = "TROUPE_ADMIN_TOKEN";

bool is_token(const std::string& text) {
  const auto is_visible = [](char c) { return c > ' ' && c < 0x7f; };
  return !text.empty() && text.size() <= protocol::longest_admin_token && std::ranges::all_of(text, is_visible);
}

/// What could end a header, or is no token at all, is not sent.
std::string checked_token(std::string token, const std::string& from) {
  if (!is_token(token))
    throw operator_failure(from + " has no token: that is one word of up to 4096 visible characters");
  return token;
}

std::string without_line_end(const std::string& text) { return text.substr(0, text.find_last_not_of("\r\n") + 1); }

std::string named_token(const std::string& file) {
  if (file.empty()) {
    const auto* const given = std::getenv(token_variable);
    return given && *given ? checked_token(given, token_variable) : "";
  }
  const auto text = file_text(file, protocol::longest_admin_token_file);
  if (!text)
    throw operator_failure("cannot read " + escaped(file) + ": " + std::strerror(errno));
  return checked_token(without_line_end(*text), escaped(file));
}

// -- the file of a gateway on this machine -----------------------------------------------------------

/// The token in a folder that is this user's; root may read that of a service, whose user has no other way in.
std::string token_in(const std::string& path, const std::string& name) {
  using net::private_folder;
  const auto is_of_service = path == service_folder && ::geteuid() == 0;
  std::string ignored;
  const auto folder =
      private_folder::open(path, ignored, is_of_service ? private_folder::owner::anyone : private_folder::owner::self);
  const auto text = folder ? folder->read(name, protocol::longest_admin_token_file) : std::nullopt;
  auto token = without_line_end(text.value_or(""));
  return is_token(token) ? token : "";
}

/// Another address, which the same name may have, could be another user's.
std::vector<std::string> addresses_of(const std::string& host) {
  return protocol::same_word(host, "localhost") ? std::vector<std::string>{"127.0.0.1", "::1"}
                                                : std::vector<std::string>{host};
}

std::string url_at(const std::string& address, const protocol::http_url& of) {
  return "http://" + protocol::host_port_text(address, of.port) + (of.target == "/" ? "" : of.target);
}

operator_token find_token(const protocol::http_url& at, admin_place& place) {
  operator_token result;
  for (const auto& folder : searched_folders())
    for (const auto& address : addresses_of(at.host)) {
      const auto name = protocol::admin_token_name(address, at.port);
      result.looked_for.push_back(folder + '/' + name);
      if (result.text = token_in(folder, name); !result.text.empty()) {
        place.url = url_at(address, at);
        return {result.text, result.looked_for.back(), {}};
      }
    }
  return result;
}

std::string joined(const std::vector<std::string>& files) {
  std::string result;
  for (const auto& file : files)
    result += (result.empty() ? "" : ", ") + escaped(file);
  return result;
}

} // namespace

operator_token token_for(const operator_options& options, admin_place& place) {
  if (auto token = named_token(options.token_file); !token.empty() || !place.socket_path.empty())
    return {std::move(token)};
  std::string ignored;
  const auto url = protocol::parse_http_url(place.url, ignored);
  return url && protocol::is_loopback(url->host) ? find_token(*url, place) : operator_token{};
}

std::string refused_token_text(const std::string& at, const operator_token& shown) {
  if (!shown.found_in.empty())
    return at + " does not take the token in " + escaped(shown.found_in) +
           ": it may be left over from another gateway; name the right file with --admin-token-file";
  if (!shown.text.empty())
    return at + " does not take this token: name the file of its own with --admin-token-file";
  const auto how = at + " wants a token: name its file with --admin-token-file, or set " + token_variable;
  return shown.looked_for.empty() ? how
                                  : how + ", or run this as the gateway's user; its log names the file (looked for " +
                                        joined(shown.looked_for) + ")";
}

} // namespace troupe::deploy
