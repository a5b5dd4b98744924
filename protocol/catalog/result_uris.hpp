#pragma once

#include "protocol/message/splice.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a result is the answer to, which says where it has URIs of resources.
enum class result_shape { other, tool, prompt, read };

/// A URI as its server has it, turned into the one that clients see.
using uri_map = std::function<std::string(std::string_view)>;

/// The edits that map every URI of a resource in a response.
std::vector<edit> result_uris(std::string_view response, result_shape shape, const uri_map& map);

/// The edits that map the URI of its UI in a tool of a list.
std::vector<edit> tool_uris(std::string_view tool, const uri_map& map);

} // namespace troupe::protocol
