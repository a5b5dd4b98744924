#include "protocol/access/server_guard.hpp"

#include "protocol/message/list_filter.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <utility>

namespace troupe::protocol {

namespace {

std::string_view without_last(std::string_view text) { return text.substr(0, text.size() - 1); }

} // namespace

const principal& principal_of(const caller& who) {
  static const principal nobody;
  return who ? *who : nobody;
}

bool server_guard::allows(const named_thing& one, const principal& who) const {
  return rules_->to(one.kind, one.name, who).is == permit::kind::allowed;
}

std::optional<message> server_guard::refuse(message& to_server, const caller& who) {
  if (is_idle())
    return std::nullopt;
  if (to_server.is_method("notifications/cancelled"))
    lists_.erase(to_server.reference);
  if (!is_request(to_server))
    return std::nullopt;
  auto list = things_listed_by(to_server.method);
  rename_hidden(to_server, principal_of(who));
  if (list && lists_.size() >= most_lists)
    return own_message(error_text(to_server.id, error_code::internal_error, "too many lists are awaited"));
  if (list)
    lists_.insert_or_assign(to_server.id, awaited_list{*list, who});
  return std::nullopt;
}

/// A name that is no text is none that a server offers.
void server_guard::rename_hidden(message& request, const principal& who) {
  std::vector<edit> edits;
  for (auto& one : namings_in(request)) {
    auto name = string_value(one.token);
    if (!name)
      edits.push_back(replacing(request.text, one.token, '"' + none_ + '"'));
    else if (!allows({one.kind, *name}, who))
      edits.push_back(replacing(request.text, one.token, std::string{without_last(one.token)} + none_ + '"'));
  }
  if (edits.empty())
    return;
  request = spliced(std::move(request), std::move(edits));
  has_renamed_ = true;
}

message server_guard::shown(message from_server) {
  if (has_renamed_)
    from_server = with_hidden_names(std::move(from_server));
  if (from_server.kind != message_kind::response)
    return from_server;
  auto list = lists_.extract(from_server.id);
  if (list.empty())
    return from_server;
  auto& [what, who] = list.mapped();
  return filtered_list(
      std::move(from_server), what.items, [&, kind = what.kind, key = what.key](std::string_view item) {
        return all_good(item, key, [&](const std::string& text) { return allows({kind, text}, principal_of(who)); });
      });
}

/// A server may say such a name in its log, too, and in what it tells of progress.
message server_guard::with_hidden_names(message from_server) const {
  std::vector<edit> edits;
  std::string_view text = from_server.text;
  for (auto at = text.find(none_); at != text.npos; at = text.find(none_, at + none_.size()))
    edits.push_back(replacing(text, text.substr(at, none_.size()), {}));
  return edits.empty() ? std::move(from_server) : spliced(std::move(from_server), std::move(edits));
}

} // namespace troupe::protocol
