#pragma once

#include "protocol/catalog/merged_cursor.hpp"
#include "protocol/message/message.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace troupe::protocol {

/// Makes the cursors of one server, which may be everybody's, those of one caller: the caller gets them sealed, and the
/// server gets back its own. It sees each request and each answer once. An empty cursor stays, as it tells nothing. No
/// page of a list that has cursors may be kept for other callers, who could not go on with theirs.
class sealed_cursors {
public:
  explicit sealed_cursors(cursor_seal seal) : seal_{std::move(seal)} {}

  /// A message for the server, which gets the server's own cursor. Gives the answer to one with a cursor that this
  /// caller was not given.
  std::optional<message> refuse(message& to_server);
  /// A message of the server, as the caller is shown it.
  message shown(message from_server);
  /// Nothing more is answered of what the server was sent.
  void server_lost() { lists_.clear(); }

private:
  std::string sealed(const std::string& cursor) const;
  std::optional<std::string> unsealed(const std::string& cursor) const;

  cursor_seal seal_;
  /// The ids of requests whose answers are lists, and whether such a request is for a page after the first.
  std::map<std::string, bool, std::less<>> lists_;
};

} // namespace troupe::protocol
