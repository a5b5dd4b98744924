#pragma once

#include "protocol/message/message.hpp"
#include "protocol/text/fnv1a.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// Makes the cursors of one server, which may be everybody's, those of one caller: the caller gets them sealed, and the
/// server gets back its own. It sees each request and each answer once. An empty cursor stays, as it tells nothing. No
/// page of a list that has cursors may be kept for other callers, who could not go on with theirs.
class sealed_cursors {
public:
  explicit sealed_cursors(cursor_seal seal) : seal_{std::move(seal)} {}

  /// A message for the server, which gets the server's own cursor. Gives the answer to one with a cursor that this
  /// caller was not given.
  std::optional<message> refuse(message& to_server);
  /// A message of the server, as the caller is shown it.
  message shown(message from_server);
  /// Nothing more is answered of what the server was sent.
  void server_lost() { lists_.clear(); }

private:
  std::string sealed(const std::string& cursor) const;
  std::optional<std::string> unsealed(const std::string& cursor) const;

  cursor_seal seal_;
  /// The ids of requests whose answers are lists, and whether such a request is for a page after the first.
  std::map<std::string, bool, std::less<>> lists_;
};

} // namespace troupe::protocol
