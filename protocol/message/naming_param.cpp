#include "protocol/message/naming_param.hpp"

namespace troupe::protocol {

std::string_view naming_param(const message& request) {
  for (auto method : {"tools/call", "prompts/get"})
    if (request.is_method(method))
      return "name";
  for (auto method : {"tasks/get", "tasks/update", "tasks/cancel"})
    if (request.is_method(method))
      return "taskId";
  return request.is_method("resources/read") ? "uri" : "";
}

} // namespace troupe::protocol
