#pragma once

#include "protocol/message/message.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace troupe::protocol {

/// Whether a JSON object has a member of that name, and all of them are texts that are good. Peers disagree on whether
/// the first or the last of two equal members counts.
bool all_good(std::string_view object, std::string_view name, const std::function<bool(const std::string&)>& is_good);

/// An answer with a list under `items`, without the items that are not kept; all else of it stays as it came. An answer
/// without such a list stays as it is. Each item is asked about once.
message filtered_list(message answer, std::string_view items, const std::function<bool(std::string_view item)>& keeps);

} // namespace troupe::protocol
