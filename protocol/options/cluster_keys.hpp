#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace troupe::protocol {

inline constexpr std::size_t shortest_cluster_key = 16;
inline constexpr std::size_t longest_cluster_key = 4096;
/// A rotation takes two; the others are for those who begin the next one before the last is over.
inline constexpr std::size_t most_cluster_keys = 4;
/// The longest text of keys, with line ends of two bytes.
inline constexpr std::size_t longest_cluster_keys = most_cluster_keys * (longest_cluster_key + 2);

/// What is said where a key should be and there is none.
inline constexpr std::string_view no_cluster_key =
    "is missing: the nodes of a cluster have one secret, such as `openssl rand -hex 32`";

/// The keys of a cluster, one a line, of which a node shows the first and accepts each; otherwise what is wrong with
/// the text, to be read after its name. That never contains a key.
std::variant<std::vector<std::string>, std::string> read_cluster_keys(std::string_view text);

} // namespace troupe::protocol
