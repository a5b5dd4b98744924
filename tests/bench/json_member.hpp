#pragma once

#include <string_view>

namespace troupe::bench {

/// The text of a member's value in the text of a JSON object, as it stands there; empty when it has none. Trusts that
/// the text is JSON, and compares names as they are written.
std::string_view member(std::string_view object, std::string_view name);

} // namespace troupe::bench
