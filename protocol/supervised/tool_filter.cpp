#include "protocol/supervised/tool_filter.hpp"

#include "protocol/message/lists.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/text/glob.hpp"
#include "protocol/text/words.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool fits_any(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](auto& glob) { return fits_glob(glob, name); });
}

} // namespace

bool tool_filter::allows(std::string_view name) const {
  const auto read = until_null(name);
  return allows_exact(name) && (read.size() == name.size() || allows_exact(read));
}

bool tool_filter::allows_exact(std::string_view name) const {
  return (allow_.empty() || fits_any(allow_, name)) && !fits_any(deny_, name);
}

bool tool_filter::allows_names_in(std::string_view object) const {
  return all_good(object, "name", [this](const std::string& name) { return allows(name); });
}

bool tool_filter::allows_call(const message& call) const {
  if (off())
    return true;
  auto params = find_member(call.text, {"params"});
  return params && allows_names_in(*params);
}

std::optional<rejection> tool_filter::refuse(const message& request) const {
  if (!off() && may_be_mistaken(request.method))
    return rejection{200, error_code::method_not_found, "Method not found: " + request.method};
  if (!off() && has_other_spellings(request))
    return rejection{200, error_code::invalid_request, "Invalid Request: a member is there in other letters"};
  if (!request.is_method("tools/call") || allows_call(request))
    return std::nullopt;
  return rejection{200, error_code::invalid_params, "Unknown tool: " + name_param(request)};
}

message tool_filter::filtered(message list) const {
  if (off())
    return list;
  return filtered_list(std::move(list), "tools", [this](std::string_view tool) { return allows_names_in(tool); });
}

} // namespace troupe::protocol
