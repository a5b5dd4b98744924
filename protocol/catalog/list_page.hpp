#pragma once

#include "protocol/message/cache_hints.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"
#include "protocol/text/fnv1a.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Longest cursor of a merged list, in bytes: clients send it with each request.
inline constexpr std::size_t longest_cursor = 64 * 1024;

/// Position in the list of one server.
struct server_cursor {
  std::uint64_t server = 0;
  /// Server's own cursor, a JSON string token.
  std::string token;
  /// Number of pages before.
  std::uint64_t pages = 1;
  /// `mark_of` the cursor after the last page number that was a power of two. A list in a cycle comes to this cursor
  /// again (Brent's algorithm).
  std::uint64_t seen = mark_of(token);

  static std::uint64_t mark_of(std::string_view token) { return fnv1a_64(token); }
  /// Returns the position at the next cursor.
  server_cursor followed_by(std::string_view next) const;
  /// True if the server is known to have given this cursor before: each cycle is found within a few rounds.
  bool has_seen(std::string_view next) const { return next == token || mark_of(next) == seen; }

  friend bool operator==(const server_cursor&, const server_cursor&) = default;
};

/// Position in a merged list.
struct merged_place {
  std::vector<server_cursor> parts;
  /// True if all pages so far are the same for all users.
  bool is_public = false;

  friend bool operator==(const merged_place&, const merged_place&) = default;
};

/// Returns the seals of a text for one caller, one for each of our keys; new cursors get the first. Only we can make
/// them. All have the same number of letters and digits. Null where callers are not distinguished.
using cursor_seal = std::function<std::vector<std::string>(std::string_view text)>;

/// Returns the cursor of a merged list, from those of the servers whose lists go on. May exceed `longest_cursor`.
std::string merged_cursor(const merged_place& place, const cursor_seal& seal = {});

/// Removes the parts that would make the cursor too long, and returns their servers.
std::vector<std::uint64_t> cut_to_fit(merged_place& place, const cursor_seal& seal = {});

/// Returns the content of a cursor that `merged_cursor` made with that seal; empty for any other.
std::optional<merged_place> read_merged_cursor(std::string_view cursor, const cursor_seal& seal = {});

/// Seals the cursors of one server, which may be valid for everybody, for one caller. The caller gets them sealed; the
/// server gets its own back. Must see each request and each answer once. Leaves empty cursors, which reveal nothing.
/// Marks pages of lists with cursors as private: other callers could not go on with these cursors.
class sealed_cursors {
public:
  explicit sealed_cursors(cursor_seal seal);

  /// Puts the server's own cursor into a message for it. Returns an error answer if the cursor was not given to this
  /// caller.
  std::optional<message> refuse(message& to_server);
  /// Returns a message of the server for the caller.
  message for_client(message from_server);
  /// Forgets all requests: no more answers will arrive.
  void server_lost() { lists_.clear(); }

private:
  cursor_seal seal_;
  /// Ids of requests for lists, each with whether it is for a page after the first.
  std::map<std::string, bool, std::less<>> lists_;
};

// Pages of lists in requests and answers (2025-11-25, "Pagination").

/// True if the request is for the first page. Some clients write a `null` cursor for that.
bool asks_for_first_page(const message& request);
/// Returns the position that a client's request continues at; empty if its cursor is not of a merged list.
std::optional<merged_place> merged_cursor_of(const message& request, const cursor_seal& seal = {});
/// Returns the request with a server's cursor, a JSON string token, in place of its own; an empty one removes it.
message with_cursor(message request, std::string_view token);

/// True if the answer has a result that is an object; false for an empty text.
bool has_object_result(std::string_view answer);
/// Returns the raw `nextCursor` of an answer, a JSON token; empty if the list ends. `is_modern`: the answer is of
/// 2026-07-28.
std::string_view continuation_in(std::string_view answer, bool is_modern);
/// Returns the cursor of the next page, a JSON string token; empty if there is none, or it is no string.
std::string_view next_cursor(std::string_view answer, bool is_modern);

/// Returns the answer to the client: items, as elements of a JSON array, and the next position. `hints` are for clients
/// that read them.
message list_answer(std::string_view id, list_kind kind, std::string_view items, const merged_place& next,
                    const cursor_seal& seal = {}, const std::optional<cache_hints>& hints = {});

} // namespace troupe::protocol
