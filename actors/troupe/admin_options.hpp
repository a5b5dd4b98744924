#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Where operators look at a gateway and steer it: a listener of its own, in plain HTTP, which has `/metrics` for
/// Prometheus, and below `/api/` what lives.
///
/// Pages of other origins are refused, and, against DNS rebinding, any `Host` but names of this machine and `host`;
/// where it listens at all addresses of a machine any `Host` is good, as the token is asked for.
struct admin_options {
  /// Address to listen on, numeric or a name. `unix:PATH` is a unix socket, which only the user of this process can
  /// connect to.
  std::string host = "127.0.0.1";
  /// Port to listen on; 0 picks a free one, see `gateway::admin_port()`.
  std::uint16_t port = 9464;
  /// A socket that listens already; see `gateway_options::socket`.
  int socket = -1;
  /// What operators show as `Authorization: Bearer TOKEN`: 16 to 4096 visible characters of ASCII. Without one the
  /// gateway makes one on loopback, see `gateway::admin_token()`, asks for none on a unix socket, and does not start
  /// on other addresses.
  std::string token = {};
  /// A file with the token as its one line, read again when it changes, instead of `token`.
  std::string token_file = {};
  /// Operators who follow a session may see what its messages say: arguments and results.
  bool content = false;
  /// Ask for no token on loopback: every program on this machine, and every tool that fetches URLs for somebody else,
  /// can then query and command the gateway.
  bool open = false;
  /// Folders for the file of a token that the gateway makes (mode 0600), which `troupe top` and its like find by
  /// `gateway::admin_token()`'s name: the first is used that can be made, or belongs to this user, and that no other
  /// user can write to. Without folders the token is in memory only.
  std::vector<std::string> token_folders = {};

  friend bool operator==(const admin_options&, const admin_options&) = default;
};

/// The token that a gateway has made for its operators; empty when it was given one, or asks for none.
struct made_admin_token {
  std::string text = {};
  /// The file that has it; empty when it is in memory only.
  std::string file = {};
};

} // namespace troupe
