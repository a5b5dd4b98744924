#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/catalog/catalog_names.hpp"
#include "protocol/catalog/request_sender.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Sends requests that name a resource to the server that has it, and to no other: one server must not supply what
/// another's URI stands for.
class resource_calls {
public:
  explicit resource_calls(request_sender& sender) : sender_{sender} {}

  /// `resources/read`, `resources/subscribe`, `resources/unsubscribe`, or `completion/complete` of a template.
  void call(message from, catalog_effects& out);

private:
  request_sender& sender_;
};

/// Sends requests that name a tool or a prompt to the server that has it. When the name does not tell which, the lists
/// of the servers that may have it are searched, one after the other.
class named_calls {
public:
  named_calls(request_sender& sender, catalog_names& names) : sender_{sender}, names_{names} {}

  /// `tools/call`, `prompts/get`, or `completion/complete` of a prompt.
  void call(message from, list_kind kind, catalog_effects& out);
  /// The client does not wait for it any more.
  void forget(std::string_view client_id);
  /// A page of a list that is searched.
  void take_page(const member_request& asked, const message& from, catalog_effects& out);

private:
  /// A request, the name in it, and the place of the name's token in its text.
  struct named_request {
    message request;
    std::string name;
    slice name_at;
  };
  /// A request that waits until it is known where it belongs.
  struct search {
    named_request what;
    list_kind kind = list_kind::tools;
    /// The servers whose lists are to be searched; the first is being searched.
    std::vector<std::uint64_t> servers = {};
    /// Pages of its list that were asked for.
    std::size_t pages = 0;
    /// Why a server's list could not be had; empty when all could.
    std::string failure = {};
  };

  void search_next(search one, catalog_effects& out);
  void search_page(search one, std::string_view cursor, catalog_effects& out);
  void end(search one, catalog_effects& out);
  void send(named_request one, const owned_name& to, catalog_effects& out);

  request_sender& sender_;
  catalog_names& names_;
  /// Few calls need one, so a session that has none pays little for them.
  std::list<search> searches_;
};

} // namespace troupe::protocol
