#include "protocol/access/server_guard.hpp"

#include "protocol/message/cache_hints.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/methods.hpp"
#include "protocol/message/splice.hpp"
#include "protocol/rejection.hpp"
#include "protocol/text/json.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace troupe::protocol {

namespace {

/// Returns the text between the quotes of a JSON string.
std::string_view inside(std::string_view token) { return token.substr(1, token.size() - 2); }

std::string_view scheme_in(std::string_view uri) {
  auto colon = uri.find(':');
  auto scheme = uri.substr(0, colon);
  auto is_one = colon != uri.npos && scheme.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+.-") == uri.npos;
  return is_one ? scheme : "none";
}

/// Returns the replacement of a name. Only the scheme of a URI may stay, since servers read URIs in many ways.
std::string in_place_of(const naming& one, const std::string& none) {
  if (one.kind != offered::resource)
    return none;
  auto scheme = std::string{scheme_in(inside(one.token))};
  return scheme + (scheme == "file" ? ":///" : "://") + none;
}

/// Most bytes that restored names add to a message in which the server repeats them. Further names are not restored.
constexpr std::size_t most_given_back = std::size_t{4} << 20;

constexpr std::string_view list_is_too_long = "the server's list takes too long to judge by the rules for it: have the "
                                              "server give it in pages, or write fewer rules";

/// Marks a response as private: caches must not give it to other callers (2026-07-28, caching, "Cache Scope").
message for_who_asked(message answer) {
  const auto& text = answer.text;
  const auto may_have_scope = text.find("cacheScope") != text.npos || text.find('\\') != text.npos;
  auto result = may_have_scope ? find_member(text, {"result"}) : std::nullopt;
  std::vector<edit> edits;
  make_private(answer.text, result.value_or(""), edits);
  return edits.empty() ? std::move(answer) : spliced(std::move(answer), std::move(edits));
}

} // namespace

bool server_guard::allows(item_authorizer& judge, const named_item& one, const principal& who) const {
  return judge.authorize(*rules_, one, who).is == permit::kind::allowed;
}

std::optional<message> server_guard::refuse(message& to_server, const caller& who) {
  if (is_idle())
    return std::nullopt;
  if (is_cancellation(to_server))
    take_awaited(to_server.reference);
  item_authorizer judge{budgets_.of_request};
  if (!is_request(to_server)) {
    rename_hidden(to_server, namings_in(to_server), judge, principal_of(who));
    return std::nullopt;
  }
  auto answer = [&](int code, std::string_view why) { return gateway_message(error_text(to_server.id, code, why)); };
  if (awaited_.contains(to_server.id))
    return answer(error_code::invalid_request, "Invalid Request: another request with this id is under way");
  if (rules_->are_about_things() && may_be_mistaken(to_server.method))
    return answer(error_code::method_not_found, "Method not found: " + to_server.method);
  if (rules_->are_about_things() && has_other_spellings(to_server))
    return answer(error_code::invalid_request, "Invalid Request: a member is there in other letters");
  const auto named = namings_in(to_server);
  if (named.size() > most_named)
    return answer(error_code::invalid_params, "Invalid params: more is named than may be");
  for (auto& one : named)
    if (!one.token.starts_with('"') || one.token.size() > longest_named)
      return answer(error_code::invalid_params, "Invalid params: a name is too long, or no text");
  auto list = items_listed_by(to_server.method);
  auto hidden = rename_hidden(to_server, named, judge, principal_of(who));
  if (judge.is_exhausted())
    return answer(error_code::invalid_params, "Invalid params: what is named may be read in too many ways");
  if (!list && hidden.empty())
    return std::nullopt;
  if (awaited_.size() >= most_awaited)
    return answer(error_code::internal_error, "too many requests are under way");
  await(to_server.id, {list, who, {}}, std::move(hidden));
  return std::nullopt;
}

void server_guard::await(const std::string& request, awaited_answer what, hidden_names names) {
  for (auto& [number, one] : names)
    what.renamed.push_back(number);
  hidden_.merge(names);
  awaited_.emplace(request, std::move(what));
}

server_guard::hidden_names server_guard::rename_hidden(message& request, const std::vector<naming>& named,
                                                       item_authorizer& judge, const principal& who) {
  hidden_names result;
  std::vector<edit> edits;
  for (auto& one : named) {
    if (allows(judge, {one.kind, string_value(one.token).value_or("")}, who))
      continue;
    ++last_hidden_;
    auto made_up = in_place_of(one, none_ + std::to_string(last_hidden_) + "x");
    edits.push_back(replacing(request.text, inside(one.token), made_up));
    result.emplace(last_hidden_, hidden_name{std::move(made_up), std::string{inside(one.token)}});
  }
  if (!edits.empty())
    request = spliced(std::move(request), std::move(edits));
  return result;
}

/// Removes the answer to a request, and the names that it restores.
server_guard::awaited_answer server_guard::take_awaited(const std::string& request) {
  auto found = awaited_.extract(request);
  if (found.empty())
    return {};
  for (auto number : found.mapped().renamed)
    hidden_.erase(number);
  return std::move(found.mapped());
}

std::optional<message> server_guard::for_client(message from_server, const caller& who) {
  if (!hidden_.empty())
    from_server = with_hidden_names(std::move(from_server));
  if (from_server.kind == message_kind::response)
    return response_for_client(std::move(from_server));
  const auto is_hidden = !is_idle() && tells_of_hidden(from_server, principal_of(who));
  return is_hidden ? std::nullopt : std::optional{std::move(from_server)};
}

/// True if a notification names a hidden resource. A server also reports changes below a subscribed resource, and some
/// servers report all changes to all clients (2025-11-25, resources, "Subscriptions").
bool server_guard::tells_of_hidden(const message& from_server, const principal& who) const {
  if (!rules_->are_about(offered::resource) || !from_server.is_method("notifications/resources/updated"))
    return false;
  item_authorizer judge{budgets_.of_request};
  const auto named = namings_in(from_server);
  return named.size() > most_named || std::ranges::any_of(named, [&](auto& one) {
           return !allows(judge, {one.kind, string_value(one.token).value_or("")}, who);
         });
}

message server_guard::response_for_client(message answer) {
  if (!is_idle())
    answer = for_who_asked(std::move(answer));
  const auto awaited = take_awaited(answer.id);
  if (!awaited.list)
    return answer;
  const auto& list = *awaited.list;
  item_authorizer judge{budgets_.of_list};
  auto filtered = filtered_list(std::move(answer), list.items, [&](std::string_view item) {
    return all_good(item, list.key, [&](const std::string& text) {
      return allows(judge, {list.kind, text}, principal_of(awaited.who));
    });
  });
  return judge.is_exhausted() ? gateway_message(error_text(filtered.id, error_code::internal_error, list_is_too_long))
                              : std::move(filtered);
}

/// Restores the hidden names in a message, as servers repeat them in logs and progress, too. A long message may have
/// any number of them, and is searched only once.
message server_guard::with_hidden_names(message from_server) const {
  const std::string_view text = from_server.text;
  std::vector<edit> edits;
  std::size_t done = 0, added = 0;
  for (auto at = text.find(none_); at != text.npos; at = text.find(none_, at + none_.size())) {
    auto* one = hidden_at(text, at);
    const auto before = one ? one->made_up.find(none_) : 0;
    if (!one || at < done + before || text.substr(at - before, one->made_up.size()) != one->made_up)
      continue;
    added += one->original.size();
    if (added > most_given_back)
      break;
    edits.push_back(replacing(text, text.substr(at - before, one->made_up.size()), one->original));
    done = at - before + one->made_up.size();
  }
  return edits.empty() ? std::move(from_server) : spliced(std::move(from_server), std::move(edits));
}

/// Returns the name whose number follows at `at`; null when there is none.
const server_guard::hidden_name* server_guard::hidden_at(std::string_view text, std::size_t at) const {
  std::uint64_t number = 0;
  const auto digits = text.substr(at + none_.size());
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{})
    return nullptr;
  auto found = hidden_.find(number);
  return found == hidden_.end() ? nullptr : &found->second;
}

} // namespace troupe::protocol
