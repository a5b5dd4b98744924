#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

// Which upstream a user of a configured server gets.

/// None; `why` is for its error.
struct refuse_user {
  std::string why;
  friend bool operator==(const refuse_user&, const refuse_user&) = default;
};

/// The supervised upstream of all users, or of those of one owner.
struct give_shared {
  /// It does not run: start it first.
  bool starts = false;
  /// Empty for all.
  std::string owner = {};
  friend bool operator==(const give_shared&, const give_shared&) = default;
};

/// A new supervised upstream of its own.
struct give_supervised {
  /// A loss of the server ends the user instead of a restart.
  bool ends_user = false;
  friend bool operator==(const give_supervised&, const give_supervised&) = default;
};

/// A new bare process or connection of its own.
struct give_bare {
  friend bool operator==(const give_bare&, const give_bare&) = default;
};

/// A process or connection of the pool, for its own; it leaves the pool.
struct give_pooled {
  std::uint64_t number = 0;
  friend bool operator==(const give_pooled&, const give_pooled&) = default;
};

/// None yet; it is to be asked for again when `configured_server::is_searching` ends.
struct wait_for_era {
  friend bool operator==(const wait_for_era&, const wait_for_era&) = default;
};

using upstream_choice = std::variant<refuse_user, give_shared, give_supervised, give_bare, give_pooled, wait_for_era>;

// What a configured server decides without a user, and its actor carries out in this order.

/// Start the supervised upstream of all users, and its server with it.
struct start_shared {
  friend bool operator==(const start_shared&, const start_shared&) = default;
};

/// Start a process or connection for the pool.
struct start_pooled {
  /// Names it in the pool; never used again.
  std::uint64_t number = 0;
  /// Number of the unit that it lives on.
  std::size_t unit = 0;
  friend bool operator==(const start_pooled&, const start_pooled&) = default;
};

/// Stop all that are in the pool.
struct stop_pool {
  friend bool operator==(const stop_pool&, const stop_pool&) = default;
};

/// The shared upstream ends when its last user has left.
struct retire_shared {
  /// Whose it is; empty for that of all.
  std::string owner = {};
  friend bool operator==(const retire_shared&, const retire_shared&) = default;
};

/// The configured server itself ends.
struct end_server {
  friend bool operator==(const end_server&, const end_server&) = default;
};

using configured_server_effect = std::variant<start_shared, start_pooled, stop_pool, retire_shared, end_server>;
using configured_server_effects = std::vector<configured_server_effect>;

} // namespace troupe::protocol
