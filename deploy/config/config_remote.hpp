#pragma once

#include "actors/troupe/gateway.hpp"
#include "deploy/config/config_keys.hpp"
#include "deploy/config/config_value.hpp"
#include "deploy/config/server_texts.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::deploy {

/// Reads the section `auth` of a remote server: how tokens for the server are obtained.
grant_options read_grant(const config_value& section, server_texts& texts);

std::vector<std::string_view> grant_keys();

/// Reads the keys of a server's entry that describe a URL.
class remote_reader {
public:
  explicit remote_reader(server_texts& texts) : texts_(texts) {}

  static const std::vector<config_key<remote_reader>>& keys();
  /// Sets the transport, which two keys can specify; see `config_server.cpp`.
  void speak(remote_transport transport) { result_.transport = transport; }
  remote_server result() && { return std::move(result_); }

private:
  void url(const config_value& value);
  void headers(const config_value& value);
  void header(const std::string& name, const config_value& value);
  void auth(const config_value& value);
  void ca_file(const config_value& value);
  void connections(const config_value& value);

  server_texts& texts_;
  remote_server result_;
};

} // namespace troupe::deploy
