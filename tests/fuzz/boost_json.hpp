#pragma once

#include "protocol/text/json.hpp"

#include <boost/json.hpp>
#include <optional>
#include <string_view>

namespace troupe::fuzz {

/// The value that Boost.JSON parses; nothing if it rejects the text.
inline std::optional<boost::json::value> parsed(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = protocol::max_json_depth;
  boost::json::error_code error;
  auto result = boost::json::parse({text.data(), text.size()}, error, {}, options);
  return error ? std::nullopt : std::optional{std::move(result)};
}

/// Our readers accept an escaped half of a surrogate pair. Boost.JSON does not.
inline bool may_have_halves(std::string_view text) {
  return text.find("\\ud") != text.npos || text.find("\\uD") != text.npos;
}

} // namespace troupe::fuzz
