#pragma once

#include "protocol/hosted/hosted_offer.hpp"
#include "protocol/message/message.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

// What a hosted server answers. Content is an array of content blocks (2025-11-25, tools, "Tool Result"), which are
// objects.

/// A response with this result; an error when it is no valid JSON, for instance because a text is no UTF-8.
message result_message(std::string_view id, const boost::json::object& result);
message error_message(std::string_view id, int code, std::string_view text);
/// A message of this text, which answers the request of this id; an error when it is no valid JSON.
message checked_answer(std::string_view id, std::string text);

/// The lists may be empty: what is added later is announced, which takes that it was declared.
boost::json::object initialize_result(const message& initialize, const hosted_offer& offer);

boost::json::object tool_result(boost::json::array content, bool is_error);
/// Each block becomes a message, of the user unless it has a `role`.
boost::json::object prompt_result(const std::string& description, boost::json::array content);
/// Texts and blobs of this resource; embedded resources stand for themselves.
boost::json::object resource_result(std::string_view uri, std::string_view mime_type,
                                    const boost::json::array& content);
/// At most 100 values are told (2025-11-25, completion, "Completion Results").
boost::json::object completion_result(const std::vector<std::string>& values);

} // namespace troupe::protocol
