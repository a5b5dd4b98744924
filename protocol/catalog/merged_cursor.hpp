#pragma once

#include <cstddef>
#include <cstdint>
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

  friend bool operator==(const server_cursor&, const server_cursor&) = default;
};

/// The cursor of a merged list, from those of the servers whose lists go on. Those that would make it too long are left
/// out.
std::string merged_cursor(const std::vector<server_cursor>& parts);

/// The servers' cursors in one that `merged_cursor` made; nothing when it did not make it.
std::optional<std::vector<server_cursor>> read_merged_cursor(std::string_view cursor);

} // namespace troupe::protocol
