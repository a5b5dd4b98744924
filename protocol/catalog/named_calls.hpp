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

/// Sends requests that name a resource only to the server that has it: a server must not supply content for another's
/// URI.
class resource_calls {
public:
  explicit resource_calls(request_sender& sender) : sender_{sender} {}

  /// Handles `resources/read`, `resources/subscribe`, `resources/unsubscribe` and `completion/complete` of a template.
  void call(message from, catalog_effects& out);

private:
  request_sender& sender_;
};

/// Sends requests that name a tool or a prompt to the server that has it. If the name does not identify the server,
/// searches the lists of the possible servers, one after the other.
class named_calls {
public:
  named_calls(request_sender& sender, catalog_names& names) : sender_{sender}, names_{names} {}

  /// Handles `tools/call`, `prompts/get` and `completion/complete` of a prompt.
  void call(message from, list_kind kind, catalog_effects& out);
  /// Forgets a request that the client cancelled.
  void forget(std::string_view client_id);
  /// Takes a page of a list that is searched.
  void receive_page(const member_request& asked, const message& from, catalog_effects& out);

private:
  /// Request, the name in it, and the place of the name's token in its text.
  struct named_request {
    message request;
    std::string name;
    slice name_at;
  };
  /// Request that waits until its server is known.
  struct search {
    named_request what;
    list_kind kind = list_kind::tools;
    /// Servers whose lists are to be searched; the first is being searched.
    std::vector<std::uint64_t> servers = {};
    /// Pages requested of the first server's list.
    std::size_t pages = 0;
    /// Error of a list that was unavailable; empty if there was none.
    std::string failure = {};
  };

  void search_next(search one, catalog_effects& out);
  void search_page(search one, std::string_view cursor, catalog_effects& out);
  void end(search one, catalog_effects& out);
  void send(named_request one, const owned_name& to, catalog_effects& out);

  request_sender& sender_;
  catalog_names& names_;
  /// Searches in progress. Few calls need one, so a session without any pays little.
  std::list<search> searches_;
};

} // namespace troupe::protocol
