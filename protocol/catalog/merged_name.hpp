#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Longest name of a tool or prompt that clients and the models behind them take, in bytes.
inline constexpr std::size_t longest_merged_name = 64;

/// A server's prefix as names may have it: what model providers refuse in names of tools is `_`.
std::string clean_prefix(std::string_view prefix);

/// The name under which a server's tool or prompt stands in a merged list: `<prefix>__<name>`, or its own name when
/// the prefix is empty. One that is too long is cut and ends in a hash, so that it stays the same from one session to
/// the next and differs from others that are cut alike. The prefix must be clean.
std::string merged_name(std::string_view server, std::string_view prefix, std::string_view original);

/// Whether the name may have been cut: what it was cannot be read from it.
bool may_be_cut(std::string_view name);

/// What every name under this prefix begins with, cut or not; empty when the prefix is.
std::string name_stem(std::string_view prefix);

/// Whether a tool could be named as another of which this is the stem: one begins the other. Neither is empty.
bool may_share_names(std::string_view stem, std::string_view other);

} // namespace troupe::protocol
