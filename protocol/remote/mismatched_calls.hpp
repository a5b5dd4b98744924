#pragma once

#include "protocol/byte_budget.hpp"
#include "protocol/message/message.hpp"

#include <list>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::protocol {

/// A call of a tool as it was sent, kept until it is answered.
struct kept_call {
  message what;
  byte_budget::share bytes;
};

/// Calls of tools whose header fields, as the server has answered, do not say what their bodies say: the rules that
/// they were written by may be old or unknown, so that the tools are listed anew before each is sent once more
/// (2026-07-28, transports, "Custom Headers from Tool Parameters").
class mismatched_calls {
public:
  struct one {
    kept_call call;
    message error;
  };

  /// Most pages of the list that are read.
  static constexpr int most_pages = 100;

  bool empty() const { return calls_.empty(); }
  void add(kept_call call, message error) { calls_.push_back({std::move(call), std::move(error)}); }
  /// The call was cancelled.
  void drop(std::string_view id);
  /// The request for a page of the list, for who has called first; `cursor` is a JSON token, empty for the first page.
  message list_request(std::string_view cursor) const;
  std::list<one> take() { return std::exchange(calls_, {}); }

private:
  std::list<one> calls_;
};

} // namespace troupe::protocol
