#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Listener for operators, apart from that of the clients, in plain HTTP. Serves `/metrics` for Prometheus. Below
/// `/api/`, operators list and control sessions, calls and processes.
///
/// Pages of other origins are refused. Against DNS rebinding, only names of this machine and `host` are accepted as
/// `Host`. A gateway that listens on all addresses of a machine accepts any `Host`, since it requires the token.
struct admin_options {
  /// Address to listen on, numeric or a name. `unix:PATH` is a unix socket that only the user of this process can
  /// connect to.
  std::string host = "127.0.0.1";
  /// Port to listen on; 0 picks a free port, see `gateway::admin_port()`.
  std::uint16_t port = 9464;
  /// Descriptor of a socket that listens already, see `gateway_options::socket`; below zero: none.
  int socket = -1;
  /// Token that operators send as `Authorization: Bearer TOKEN`: 16 to 4096 visible ASCII characters. If empty, the
  /// gateway makes one on loopback (see `gateway::admin_token()`), requires none on a unix socket, and does not start
  /// on other addresses.
  std::string token = {};
  /// File with the token as its only line, instead of `token`; read again when it changes.
  std::string token_file = {};
  /// Whether operators who follow a session see the content of its messages: arguments and results.
  bool content = false;
  /// Require no token on loopback. Every program on this machine, and every tool that fetches URLs on behalf of others,
  /// can then query and control the gateway.
  bool open = false;
  /// Folders for a file with the token that the gateway made (mode 0600). `troupe top` and similar programs look for
  /// that file. Uses the first folder that can be made, or that belongs to this user and that no other user can write
  /// to. Without folders the token is in memory only.
  std::vector<std::string> token_folders = {};

  friend bool operator==(const admin_options&, const admin_options&) = default;
};

/// Token that a gateway made for its operators; empty if the options gave a token or require none.
struct made_admin_token {
  std::string text = {};
  /// Path of the file with the token; empty if the token is in memory only.
  std::string file = {};
};

} // namespace troupe
