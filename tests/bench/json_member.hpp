#pragma once

#include <string_view>

namespace troupe::bench {

/// The raw text of a member's value in a JSON object; empty without that member. Requires valid JSON, and compares
/// names without unescaping them.
std::string_view member(std::string_view object, std::string_view name);

} // namespace troupe::bench
