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

/// What a server declared at `initialize`, as far as it matters to clients of several servers at once.
///
/// `tasks` and `experimental` are left out: the ids of several servers' tasks would be mixed up, and nobody knows what
/// an experiment's messages refer to.
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

/// The capabilities that are assumed of a server that is not known yet.
inline constexpr server_capabilities every_capability{true, true, true, true, true, true};

/// Reads them from the result of `initialize`.
server_capabilities read_server_capabilities(std::string_view result);

/// The union of both.
server_capabilities merged(const server_capabilities& a, const server_capabilities& b);

/// The JSON object that declares them. Lists are always said to change: servers come and go.
std::string capabilities_text(const server_capabilities& what);

/// A server as it is configured among others.
struct catalog_server {
  /// Never used again for another.
  std::uint64_t id = 0;
  std::string name;
  /// What precedes its tools' and prompts' names; empty when nothing does.
  std::string prefix = {};
  /// Nothing precedes them as long as it is the only server.
  bool plain_alone = false;
  /// Initialise it with the session, otherwise when it is first used.
  bool eager = false;
  /// Its loss ends the session.
  bool ends_session = false;
  /// What it answered to `initialize` in an earlier session, a JSON object; empty when that is unknown.
  std::string known = {};
  /// An earlier session waited for its answer in vain.
  bool slow = false;
};

/// A server, and how far one session has initialized it.
struct catalog_member {
  /// Whether it was sent `initialize`, and has answered.
  enum class phase { idle, greeting, ready };

  explicit catalog_member(catalog_server configured);

  std::uint64_t id() const { return server.id; }
  bool ready() const { return is == phase::ready; }
  /// Learns what it can from its answer to `initialize`.
  void know(std::string_view result);
  /// Whether it may have items for a list.
  bool may_list(list_group group) const;
  /// What the client is told that it has, for the whole session: one that cannot be started now may be in a moment.
  server_capabilities presumed() const;
  /// Drops a waiting request by our id of it; false when it does not wait.
  bool drop_waiting(std::uint64_t own_id);

  catalog_server server;
  /// What precedes its tools' and prompts' names now, as names may have it.
  std::string prefix = {};
  phase is = phase::idle;
  /// Its capabilities; nothing while they are unknown.
  std::optional<server_capabilities> capabilities = {};
  /// It refused to be initialised, or was lost meanwhile: nothing of it can be had for now.
  bool failed = false;
  /// Its `instructions` for models; empty when it has none.
  std::string instructions = {};
  /// Requests that wait until it is initialised.
  std::vector<message> waiting = {};
};

/// The servers of one session in configured order, and those that were removed from the configuration while they still
/// had calls to answer. Pointers to them are good until the configuration changes or a server is forgotten.
class catalog_members {
public:
  explicit catalog_members(std::vector<catalog_server> servers);
  // No copies: others hold pointers into it.
  catalog_members(const catalog_members&) = delete;
  catalog_members& operator=(const catalog_members&) = delete;

  std::vector<catalog_member>& all() { return members_; }
  const std::vector<catalog_member>& all() const { return members_; }
  std::vector<std::uint64_t> ids() const;
  /// A configured server; nullptr when there is none of that id.
  catalog_member* find(std::uint64_t server);
  catalog_member* find_named(std::string_view name);
  /// The only server without a prefix, to which names and URIs without any prefix belong. nullptr when there is none,
  /// or several.
  const catalog_member* sole_unprefixed() const;

  /// Other servers are configured; those that stay go on as they are. Gives the others.
  std::vector<catalog_member> replace(std::vector<catalog_server> servers);
  /// A server that was removed is kept until it is forgotten.
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

/// A tool, a prompt or a resource: whose it is, and what that server calls it.
struct owned_name {
  catalog_member* owner;
  std::string original;
};

/// Whose a name is that bears no mark of a server: the one's without a prefix. Nothing when there is none, or several.
std::optional<owned_name> owner_of_unmarked(catalog_members& members, std::string_view name);

} // namespace troupe::protocol
