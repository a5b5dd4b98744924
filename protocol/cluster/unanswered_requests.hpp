#pragma once

#include "protocol/message/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// Requests of a POST that another node answers, and the errors for the client if the answers do not come.
class unanswered_requests {
public:
  unanswered_requests() = default;
  explicit unanswered_requests(const post_body& body);

  /// Takes events of the answer, in SSE encoding: the requests that they answer are no longer awaited.
  void note_events(std::string_view events);
  /// Whether an answer may be among the events. Cheap: most events are no answers, and are not parsed. Never false if
  /// there is an answer.
  static bool may_answer(std::string_view events);

  /// The id of the first request that was not answered, as a JSON token; empty when there is none.
  std::string first() const { return requests_.empty() ? std::string{} : requests_.front(); }
  /// JSON answer with an error for each request; empty if no request awaits an answer.
  std::optional<std::string> json(std::string_view why = node_lost) const;
  /// Last messages of a stream that has begun: an error for each unanswered request.
  std::vector<std::string> last_messages(std::string_view why = node_lost) const;

  /// Error text: the call may have had effects, and is not run again.
  static constexpr std::string_view node_lost = "The node that ran the call was lost before it answered";

private:
  std::vector<std::string> requests_;
  bool batch_ = false;
};

} // namespace troupe::protocol
