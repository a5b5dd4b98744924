#pragma once

#include "protocol/text/host_port.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

inline constexpr std::size_t shortest_cluster_key = 16;
inline constexpr std::size_t longest_cluster_key = 4096;
/// Maximum number of keys. A rotation takes two; more allow the next one to begin before the last is over.
inline constexpr std::size_t most_cluster_keys = 4;
/// Longest text of keys, with line ends of two bytes.
inline constexpr std::size_t longest_cluster_keys = most_cluster_keys * (longest_cluster_key + 2);

/// Error for a missing key.
inline constexpr std::string_view no_cluster_key =
    "is missing: the nodes of a cluster have one secret, such as `openssl rand -hex 32`";

/// Parses the keys of a cluster, one a line; a node presents the first and accepts each. If the text is invalid,
/// returns the error, in words that follow the text's name. The error never contains a key.
std::variant<std::vector<std::string>, std::string> read_cluster_keys(std::string_view text);

// Rules for the options of a cluster. Checked for flags, for the configuration file and for hosts alike.

inline constexpr std::size_t longest_node_name = 64;
inline constexpr auto shortest_heartbeat = std::chrono::milliseconds{200};
inline constexpr std::size_t most_restores_per_second = 10'000;
inline constexpr auto longest_heartbeat = std::chrono::milliseconds{300'000};

/// Whether a name has 1 to 64 letters, digits, `.`, `_` and `-`.
bool is_node_name(std::string_view name);

/// Form of an address, for the text of an error.
inline constexpr std::string_view host_port_form = "HOST:PORT, such as 127.0.0.1:7946, node-1:7946 or [::1]:7946";

enum class cluster_option {
  name,
  listen,
  advertise,
  join,
  key,
  certificate,
  private_key,
  ca_file,
  plain,
  heartbeat,
  store,
  store_ca,
  restores_per_second,
  members_file
};

/// Names of the options as the user knows them (flags, keys or members), in the order of `cluster_option`.
using cluster_option_names = std::array<std::string_view, 14>;
inline constexpr cluster_option_names cluster_member_names = {
    "name",    "host",  "advertise", "join",  "key",           "certificate",         "private_key",
    "ca_file", "plain", "heartbeat", "store", "store_ca_file", "restores_per_second", "members_file"};

/// View of the options of one node.
struct cluster_options_view {
  std::string_view name;
  std::string_view host;
  std::uint16_t port = 0;
  std::string_view advertise;
  const std::vector<std::string>* join = nullptr;
  /// Keys, one a line; empty when they are still to be read from the file.
  std::string_view key;
  std::string_view key_file;
  std::string_view certificate;
  std::string_view private_key;
  std::string_view ca_file;
  bool plain = false;
  std::chrono::milliseconds heartbeat{0};
  std::string_view store;
  std::string_view store_ca_file;
  std::size_t restores_per_second = 0;
};

/// Makes a view of `troupe::cluster_options`, which this folder must not include and which has to outlive the view.
template <class Options>
cluster_options_view view_of(const Options& of) {
  return {of.name,  of.host,      of.port,        of.advertise,     &of.join,
          of.key,   of.key_file,  of.certificate, of.private_key,   of.ca_file,
          of.plain, of.heartbeat, of.store,       of.store_ca_file, of.restores_per_second};
}

/// Error in an option. The text never contains the value: it may be a secret.
struct cluster_problem {
  cluster_option option;
  std::string text;

  friend bool operator==(const cluster_problem&, const cluster_problem&) = default;
};

/// Returns all errors, in the order of the options. The texts name other options by `names`.
std::vector<cluster_problem> problems_of(const cluster_options_view& options,
                                         const cluster_option_names& names = cluster_member_names);

} // namespace troupe::protocol
