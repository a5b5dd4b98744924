#pragma once

#include "protocol/message/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::protocol {

/// What a client awaits of a POST that another node answers, and what it is told instead when that does not come.
class lost_exchange {
public:
  lost_exchange() = default;
  explicit lost_exchange(const post_body& body);

  /// Events of the answer, as they went on the wire: a request that they answer awaits nothing more.
  void told(std::string_view events);
  /// Whether an answer may be among the events. Cheap, and never wrong when it says no: most events are none, and are
  /// not read.
  static bool may_answer(std::string_view events);

  /// The id of the first request that was not answered, as a JSON token; empty when there is none.
  std::string first() const { return requests_.empty() ? std::string{} : requests_.front(); }
  /// The JSON answer: an error for each request. Nothing when no request awaits an answer.
  std::optional<std::string> json(std::string_view why = node_lost) const;
  /// The last messages of a stream that has begun: an error for each request that was not answered.
  std::vector<std::string> last_messages(std::string_view why = node_lost) const;

  /// Whatever the node had done by then stays done, so nobody runs the call again.
  static constexpr std::string_view node_lost = "The node that ran the call was lost before it answered";

private:
  std::vector<std::string> requests_;
  bool batch_ = false;
};

} // namespace troupe::protocol
