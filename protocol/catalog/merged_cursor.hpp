#pragma once

#include "protocol/text/fnv1a.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Longest cursor of a merged list, in bytes: clients give it back with each request.
inline constexpr std::size_t longest_cursor = 64 * 1024;

/// Where the list of one server goes on.
struct server_cursor {
  std::uint64_t server = 0;
  /// The server's own cursor, a JSON string token.
  std::string token;
  /// How many pages came before.
  std::uint64_t pages = 1;
  /// What `mark_of` gives for the cursor after the last number of pages that was a power of two: a list that comes to a
  /// cursor it had before comes to this one again (Brent's algorithm).
  std::uint64_t seen = mark_of(token);

  static std::uint64_t mark_of(std::string_view token) { return fnv1a_64(token); }
  /// Where it goes on with the next cursor.
  server_cursor followed_by(std::string_view next) const;
  /// Whether the server gave this cursor before, as far as is known: each that comes round is found in a few rounds.
  bool has_seen(std::string_view next) const { return next == token || mark_of(next) == seen; }

  friend bool operator==(const server_cursor&, const server_cursor&) = default;
};

/// Where a merged list goes on.
struct merged_place {
  std::vector<server_cursor> parts;
  /// All of it so far is the same for all users.
  bool is_public = false;

  friend bool operator==(const merged_place&, const merged_place&) = default;
};

/// Gives what only we can make of a text, and of whom it is for, with each of our keys: that of the first is for new
/// cursors. Always as many letters and digits. Null where nobody is told from others.
using cursor_seal = std::function<std::vector<std::string>(std::string_view text)>;

/// The cursor of a merged list, from those of the servers whose lists go on. May be longer than `longest_cursor`.
std::string merged_cursor(const merged_place& place, const cursor_seal& seal = {});

/// Takes out the parts that would make its cursor too long, and gives the servers that they are of.
std::vector<std::uint64_t> cut_to_fit(merged_place& place, const cursor_seal& seal = {});

/// What is in a cursor that `merged_cursor` made with that seal; nothing when it did not make it.
std::optional<merged_place> read_merged_cursor(std::string_view cursor, const cursor_seal& seal = {});

} // namespace troupe::protocol
