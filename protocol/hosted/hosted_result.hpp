#pragma once

#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// Answers of a hosted server as JSON. Content is an array of content blocks (2025-11-25, tools, "Tool Result"), each an
// object.

/// Returns a response with this result; an error response when it is no valid JSON, for instance because a string is
/// not UTF-8.
message result_message(std::string_view id, const boost::json::object& result);
message error_message(std::string_view id, int code, std::string_view text);
/// Parses `text`, the answer to the request of that id; returns an error response when it is no valid JSON.
message checked_answer(std::string_view id, std::string text);

/// Declares all lists, even empty ones: items added later can be announced only then.
boost::json::object initialize_result(const message& initialize, const hosted_offer& offer);

boost::json::object tool_result(boost::json::array content, bool is_error);
/// Makes each block a message, with role `user` unless it has a `role`.
boost::json::object prompt_result(const std::string& description, boost::json::array content);
/// Makes text and blob blocks contents of this URI; embedded resources keep their own.
boost::json::object resource_result(std::string_view uri, std::string_view mime_type,
                                    const boost::json::array& content);
/// Returns up to 100 of the values (2025-11-25, completion, "Completion Results").
boost::json::object completion_result(const std::vector<std::string>& values);

} // namespace troupe::protocol
