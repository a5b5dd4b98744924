#pragma once

#include <initializer_list>
#include <string_view>

namespace troupe::protocol {

/// Whether some server takes the key of a member for that name: one that compares names without regard to case, as Go's
/// standard library does, or one for which a text ends at a null character, as in C. No name is empty.
bool is_spelling_of(std::string_view key, std::string_view name);

/// Whether such a server takes the key for one of the names, though it is none of them.
bool is_other_spelling(std::string_view key, std::initializer_list<std::string_view> names);

} // namespace troupe::protocol
