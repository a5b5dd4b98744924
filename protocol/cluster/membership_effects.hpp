#pragma once

#include "protocol/cluster/node_identity.hpp"
#include "protocol/log.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// What a node says of itself to another through a link.
struct node_hello {
  node_life life;
  /// `HOST:PORT` at which others reach it.
  std::string address;
  bool draining = false;
  /// Where it knows other members to be.
  std::vector<std::string> known;
  /// Its tenure in the store runs.
  bool has_tenure = false;

  friend bool operator==(const node_hello&, const node_hello&) = default;
};

/// A link to another node, numbered by the actor that has it; not used twice.
using link_id = std::uint64_t;

/// Another member.
struct known_node {
  node_life life;
  std::string name;
  link_id link = 0;
  bool draining = false;

  friend bool operator==(const known_node&, const known_node&) = default;
};

// What membership decides, and its actor carries out in this order.

/// Find the addresses of a `HOST:PORT`.
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
/// Accept the link that was offered.
struct take_link {
  link_id link = 0;
  friend bool operator==(const take_link&, const take_link&) = default;
};
/// Refuse a link that was offered, and tell the other side why.
struct refuse_link {
  link_id link = 0;
  std::string why;
  friend bool operator==(const refuse_link&, const refuse_link&) = default;
};
/// End a link, and forget it: nothing more is told of it.
struct cut_link {
  link_id link = 0;
  friend bool operator==(const cut_link&, const cut_link&) = default;
};
/// The other members, from now on. `settled` once every known address was tried.
struct members_known {
  std::vector<known_node> nodes;
  bool settled = false;
  friend bool operator==(const members_known&, const members_known&) = default;
};
/// Whether this node alone has lost the store, from now on.
struct store_cut_off {
  bool is_so = false;
  friend bool operator==(const store_cut_off&, const store_cut_off&) = default;
};
using membership_effect =
    std::variant<look_up, dial, take_link, refuse_link, cut_link, greet, members_known, store_cut_off, log_note>;
using membership_effects = std::vector<membership_effect>;

} // namespace troupe::protocol
