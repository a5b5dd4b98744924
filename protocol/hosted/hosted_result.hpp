#pragma once

#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// The answers of a hosted server as JSON. Content is an array of content blocks (2025-11-25, tools, "Tool Result"),
// each an object.

/// A response with this result; an error response when that is no valid JSON, for instance because a string is no
/// UTF-8.
message result_message(std::string_view id, const boost::json::object& result);
message error_message(std::string_view id, int code, std::string_view text);
/// The message of this text, which answers the request of this id; an error response when it is no valid JSON.
message checked_answer(std::string_view id, std::string text);

/// Declares all lists, also those that are empty: items that are added later can be announced only then.
boost::json::object initialize_result(const message& initialize, const hosted_offer& offer);

boost::json::object tool_result(boost::json::array content, bool is_error);
/// Each block becomes a message, of the user unless it has a `role`.
boost::json::object prompt_result(const std::string& description, boost::json::array content);
/// Text and blob blocks become contents of this URI; embedded resources keep their own.
boost::json::object resource_result(std::string_view uri, std::string_view mime_type,
                                    const boost::json::array& content);
/// Has at most 100 of the values (2025-11-25, completion, "Completion Results").
boost::json::object completion_result(const std::vector<std::string>& values);

} // namespace troupe::protocol
