#include "protocol/supervised/tool_filter.hpp"

#include "protocol/message/list_filter.hpp"
#include "protocol/text/glob.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

bool fits_any(const std::vector<std::string>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](auto& glob) { return fits_glob(glob, name); });
}

} // namespace

bool tool_filter::allows(std::string_view name) const {
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

message tool_filter::filtered(message list) const {
  if (off())
    return list;
  return filtered_list(std::move(list), "tools", [this](std::string_view tool) { return allows_names_in(tool); });
}

} // namespace troupe::protocol
