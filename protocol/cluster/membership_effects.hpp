#pragma once

#include "protocol/cluster/node_identity.hpp"
#include "protocol/log.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// Announcement of a node to another through a link.
struct node_hello {
  node_life life;
  /// `HOST:PORT` at which other nodes reach the sender.
  std::string address;
  bool draining = false;
  /// Addresses of the members that the sender knows.
  std::vector<std::string> known;
  /// Whether the sender's tenure in the store runs.
  bool has_tenure = false;

  friend bool operator==(const node_hello&, const node_hello&) = default;
};

/// A link to another node, numbered by the actor that owns it; numbers are never reused.
using link_id = std::uint64_t;

/// A member other than this node.
struct known_node {
  node_life life;
  std::string name;
  link_id link = 0;
  bool draining = false;

  friend bool operator==(const known_node&, const known_node&) = default;
};

// Effects of `membership`, carried out by its actor in this order.

/// Look up the addresses of a `HOST:PORT`.
struct look_up {
  std::string name;
  friend bool operator==(const look_up&, const look_up&) = default;
};
/// Connect to an address.
struct dial {
  std::string address;
  friend bool operator==(const dial&, const dial&) = default;
};
struct greet {
  link_id link = 0;
  node_hello hello;
  friend bool operator==(const greet&, const greet&) = default;
};
/// Accept an offered link.
struct accept_link {
  link_id link = 0;
  friend bool operator==(const accept_link&, const accept_link&) = default;
};
/// Refuse an offered link, and give the other side the reason.
struct refuse_link {
  link_id link = 0;
  std::string why;
  friend bool operator==(const refuse_link&, const refuse_link&) = default;
};
/// End a link and forget it: no later fact refers to it.
struct cut_link {
  link_id link = 0;
  friend bool operator==(const cut_link&, const cut_link&) = default;
};
/// All other members, from now on. `settled` once every known address was tried. `ended` are lost members that have
/// ended for certain.
struct members_known {
  std::vector<known_node> nodes;
  bool settled = false;
  std::vector<node_life> ended = {};
  friend bool operator==(const members_known&, const members_known&) = default;
};
/// Whether, from now on, this node alone has lost the store.
struct store_cut_off {
  bool is_so = false;
  friend bool operator==(const store_cut_off&, const store_cut_off&) = default;
};
using membership_effect =
    std::variant<look_up, dial, accept_link, refuse_link, cut_link, greet, members_known, store_cut_off, log_note>;
using membership_effects = std::vector<membership_effect>;

} // namespace troupe::protocol
