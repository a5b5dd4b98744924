#pragma once

#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Capabilities that a server declared at `initialize`, as far as they work for clients of several servers at once.
///
/// `tasks` and `experimental` are omitted: task ids of several servers would collide, and the references in
/// experimental messages are unknown.
struct server_capabilities {
  bool tools = false;
  bool prompts = false;
  bool resources = false;
  bool subscribe = false;
  bool logging = false;
  bool completions = false;

  bool has(list_group group) const;
  friend bool operator==(const server_capabilities&, const server_capabilities&) = default;
};

/// Capabilities assumed for a server that is not known yet.
inline constexpr server_capabilities every_capability{true, true, true, true, true, true};

/// Reads the capabilities from the result of `initialize`.
server_capabilities read_server_capabilities(std::string_view result);

/// Returns the union of both.
server_capabilities merged(const server_capabilities& a, const server_capabilities& b);

/// Returns the JSON object that declares the capabilities. Lists always have `listChanged`: servers come and go.
std::string capabilities_text(const server_capabilities& what);

/// Configuration of one server among others.
struct catalog_server {
  /// Unique id, never reused for another server.
  std::uint64_t id = 0;
  std::string name;
  /// Prefix of its tools' and prompts' names; empty for none.
  std::string prefix = {};
  /// Omits the prefix while this is the only server.
  bool plain_alone = false;
  /// Initialise it with the session, otherwise when it is first used.
  bool eager = false;
  /// The session ends when this server exits.
  bool ends_session = false;
  /// Result of `initialize` in an earlier session, a JSON object; empty if unknown.
  std::string known = {};
  /// An earlier session waited in vain for its `initialize`.
  bool slow = false;
};

/// Returns the prefix of the server's tools and prompts, clean; `is_alone` if it is the only server.
std::string prefix_in_use(const catalog_server& of, bool is_alone);

/// Server of one session, and the state of its initialization.
struct catalog_member {
  /// Whether `initialize` was sent (`greeting`) and answered (`ready`).
  enum class phase { idle, greeting, ready };

  explicit catalog_member(catalog_server configured);

  std::uint64_t id() const { return server.id; }
  bool ready() const { return is == phase::ready; }
  /// Learns from its result of `initialize`.
  void learn(std::string_view result);
  /// True if it may have items for a list.
  bool may_list(list_group group) const;
  /// Returns the capabilities declared to the client for the whole session: all while unknown, as it may start later.
  server_capabilities presumed() const;
  /// Drops a waiting request by our id; false if it does not wait.
  bool drop_waiting(std::uint64_t own_id);

  catalog_server server;
  /// Current prefix of its tools' and prompts' names, see `prefix_in_use`.
  std::string prefix = {};
  phase is = phase::idle;
  /// Declared capabilities; empty while unknown.
  std::optional<server_capabilities> capabilities = {};
  /// True if it refused `initialize` or exited before the answer: unavailable for now.
  bool failed = false;
  /// Instructions for models; empty if there are none.
  std::string instructions = {};
  /// Requests that wait until it is initialised.
  std::vector<message> waiting = {};
};

/// Servers of one session in configured order, and removed servers that still have calls to answer. Pointers to them
/// are valid until the configuration changes or a server is forgotten.
class catalog_members {
public:
  explicit catalog_members(std::vector<catalog_server> servers);
  // Not copyable: others hold pointers into it.
  catalog_members(const catalog_members&) = delete;
  catalog_members& operator=(const catalog_members&) = delete;

  std::vector<catalog_member>& all() { return members_; }
  const std::vector<catalog_member>& all() const { return members_; }
  std::vector<std::uint64_t> ids() const;
  /// Returns a configured server; nullptr if there is none with that id.
  catalog_member* find(std::uint64_t server);
  catalog_member* find_named(std::string_view name);
  /// Returns the only server without a prefix, which owns names and URIs without one. nullptr if there is none, or
  /// several.
  const catalog_member* sole_unprefixed() const;

  /// Replaces the configuration; servers that remain keep their state. Returns the removed ones.
  std::vector<catalog_member> replace(std::vector<catalog_server> servers);
  /// Keeps a removed server until `forget`.
  void keep(catalog_member removed);
  void forget(std::uint64_t removed);
  std::vector<std::uint64_t> removed() const;
  catalog_member* find_even_removed(std::uint64_t server);

  /// Size of all requests that wait for servers to be initialised, in bytes.
  std::size_t waiting_bytes() const;

private:
  void set_prefixes();

  std::vector<catalog_member> members_;
  std::vector<catalog_member> removed_;
};

/// Tool, prompt or resource: its server, and its name there.
struct owned_name {
  catalog_member* owner;
  std::string original;
};

/// Assigns a name without a mark to the only server without a prefix. Empty if there is none, or several.
std::optional<owned_name> owner_of_unmarked(catalog_members& members, std::string_view name);

} // namespace troupe::protocol
