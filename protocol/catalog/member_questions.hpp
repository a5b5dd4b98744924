#pragma once

#include "protocol/catalog/catalog_effects.hpp"
#include "protocol/message/message.hpp"
#include "protocol/message/request_table.hpp"
#include "protocol/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::protocol {

/// Requests of servers that wait for the client, such as `sampling/createMessage`, each under an id of ours: the ids of
/// several servers may be equal.
class member_questions {
public:
  /// `limit` is how many may wait at once, of all servers together.
  explicit member_questions(std::size_t limit) : limit_{limit} {}

  bool is_full() const { return questions_.size() >= limit_; }
  /// Asks the client under an id of ours, which must be new; not when it is full.
  void ask(std::uint64_t server, message from, std::uint64_t own, catalog_effects& out);
  /// The client's answer goes to the server that asked; one to no question is dropped.
  void answer(message from, catalog_effects& out);
  /// `notifications/progress` of the client.
  void progress(message from, catalog_effects& out) const;
  /// `notifications/cancelled` of a server: it does not wait any more.
  void withdraw(std::uint64_t server, message from, catalog_effects& out);
  /// The server is gone: the client need not answer it any more.
  void withdraw_all(std::uint64_t server, const std::string& why, catalog_effects& out);

  /// Whose question the client has under an id of ours; nothing when it has none.
  std::optional<std::uint64_t> server_of(std::uint64_t own) const {
    auto* found = questions_.find(own);
    return found ? std::optional{found->server} : std::nullopt;
  }
  std::size_t size() const { return questions_.size(); }

private:
  struct question {
    std::uint64_t server = 0;
    /// The server's id and its progress token, JSON tokens; the second is empty when it wants no progress.
    std::string id;
    std::string token;
    /// The client may think as long as it likes.
    static constexpr time_point deadline = time_point::max();

    /// Few wait at once: those of a server are looked for among all.
    static constexpr std::optional<std::uint64_t> asker() { return std::nullopt; }
  };

  std::size_t limit_;
  request_table<question> questions_;
};

} // namespace troupe::protocol
