#include "deploy/program/flag_checks.hpp"

#include "deploy/config/file_text.hpp"
#include "protocol/access/access_key.hpp"
#include "protocol/http/known_paths.hpp"
#include "protocol/options/cluster_rules.hpp"
#include "protocol/text/host_port.hpp"
#include "protocol/text/ip_address.hpp"
#include "protocol/text/url.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <system_error>

namespace troupe::deploy {

namespace {

template <class Condition>
CLI::Validator must(Condition holds, const std::string& be) {
  return {[=](std::string& text) { return holds(text) ? std::string{} : "'" + text + "' is not " + be; }, ""};
}

/// True for digits only: CLI11 would accept a sign, and read a leading zero as octal.
bool is_whole(const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool plain = stop == end && (text.front() != '0' || text.size() == 1);
  return error == std::errc{} && plain && value >= least && value <= most;
}

} // namespace

CLI::Validator must_be_positive() {
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  return must([](const std::string& text) { return is_whole(text, 1, most); }, "a whole number above 0");
}

CLI::Validator must_be_within(protocol::bounds bounds) {
  return must([=](const std::string& text) { return is_whole(text, bounds.least, bounds.most); },
              "a whole number from " + std::to_string(bounds.least) + " to " + std::to_string(bounds.most));
}

CLI::Validator must_be_variable() {
  return must([](const std::string& text) { return text.find('=', 1) != std::string::npos && text.front() != '='; },
              "KEY=VALUE");
}

CLI::Validator must_be_directory() {
  return must(
      [](const std::string& text) {
        std::error_code ignored;
        return std::filesystem::is_directory(text, ignored);
      },
      "a directory");
}

CLI::Validator must_be_readable() {
  return must([](const std::string& text) { return is_readable(text); }, "a file that can be read");
}

CLI::Validator must_be_url() {
  return {[](const std::string& text) {
            std::string why_not;
            return protocol::parse_http_url(text, why_not) ? std::string{}
                                                           : "the URL must be one of http or https: " + why_not;
          },
          ""};
}

CLI::Validator must_be_key_name() {
  return must(protocol::is_key_name, "a name of letters, digits, '.', '_', '@' and '-', at most 64");
}

CLI::Validator must_be_scope() { return must(protocol::is_scope, "a scope"); }

CLI::Validator must_be_expiry() {
  return must([](const std::string& text) { return protocol::read_expiry(text).has_value(); },
              "a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z");
}

CLI::Validator must_be_host_port() {
  return must([](const std::string& text) { return protocol::read_host_port(text).has_value(); },
              std::string(protocol::host_port_form));
}

CLI::Validator must_be_listening_place() {
  return must(
      [](const std::string& text) {
        return protocol::is_unix_socket(text) || protocol::read_host_port(text).has_value();
      },
      std::string(protocol::host_port_form) + ", or unix: and the path of a socket");
}

CLI::Validator must_be_path() {
  return {[](const std::string& text) {
            const auto why = protocol::fault_of_path(text);
            return why.empty() ? std::string{} : "'" + text + "' " + why;
          },
          ""};
}

CLI::Validator must_be_network() {
  return must(protocol::ip_networks::is_valid, "an address or a network such as 10.0.0.0/8");
}

CLI::Validator must_be_thing() {
  return must(
      [](const std::string& text) {
        const auto slash = text.find('/');
        return slash != std::string::npos && slash > 0 && slash + 1 < text.size();
      },
      "the name of a server, / and what it calls the thing");
}

CLI::Validator must_be_one_of(const std::vector<std::string>& names) {
  return must([=](const std::string& text) { return std::find(names.begin(), names.end(), text) != names.end(); },
              CLI::detail::join(names, "|"));
}

CLI::Validator must_have_form(protocol::text_form form) {
  switch (form) {
  case protocol::text_form::readable_file:
    return must_be_readable();
  case protocol::text_form::http_path:
    return must_be_path();
  case protocol::text_form::network:
    return must_be_network();
  case protocol::text_form::host_port:
    return must_be_host_port();
  case protocol::text_form::file:
  case protocol::text_form::filled:
  case protocol::text_form::expanded:
    break;
  }
  return {}; // may be empty, as an unset variable of a shell is
}

} // namespace troupe::deploy
