#include "protocol/access/server_guard.hpp"

#include "protocol/message/list_filter.hpp"
#include "protocol/rejection.hpp"

#include <algorithm>
#include <utility>

namespace troupe::protocol {

namespace {

/// As servers say it (2025-11-25, tools, prompts and resources, "Error Handling").
std::string error_of_unknown(std::string_view id, const named_thing& one) {
  if (one.kind == offered::resource)
    return error_text(id, error_code::resource_not_found, "Resource not found");
  auto what = one.kind == offered::tool ? std::string{"Unknown tool: "} : std::string{"Unknown prompt: "};
  return error_text(id, error_code::invalid_params, what + one.name);
}

} // namespace

const principal& nobody() {
  static const principal result;
  return result;
}

bool server_guard::allows(const named_thing& one, const principal& who) const {
  return rules_->to(one.kind, one.name, who).is == permit::kind::allowed;
}

std::optional<message> server_guard::refuse(const message& to_server, const principal& who) {
  if (is_idle() || !is_request(to_server))
    return std::nullopt;
  for (auto& one : things_named_by(to_server))
    if (!allows(one, who))
      return own_message(error_of_unknown(to_server.id, one));
  auto list = things_listed_by(to_server.method);
  if (list && lists_.size() >= most_lists)
    return own_message(error_text(to_server.id, error_code::internal_error, "too many lists are awaited"));
  if (list)
    lists_.insert_or_assign(to_server.id, *list);
  return std::nullopt;
}

message server_guard::shown(message from_server, const principal& who) {
  auto list =
      from_server.kind == message_kind::response ? lists_.extract(from_server.id) : decltype(lists_)::node_type{};
  if (list.empty())
    return from_server;
  auto& [kind, items, key] = list.mapped();
  return filtered_list(std::move(from_server), items, [&, what = kind, name = key](std::string_view item) {
    return all_good(item, name, [&](const std::string& text) { return allows({what, text}, who); });
  });
}

} // namespace troupe::protocol
