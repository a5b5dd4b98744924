#pragma once

#include "protocol/exchange_id.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// A request of a client that waits until its session is restored.
struct waiting_post {
  post_body body;
};
struct waiting_listen {
  /// Its `Last-Event-ID`.
  std::string last;
};
struct waiting_end {};

struct waiting_client {
  exchange_id exchange = 0;
  std::variant<waiting_post, waiting_listen, waiting_end> wants;
  /// Its connection is gone.
  bool left = false;
};

/// The requests of clients that wait until their session is restored, in the order in which they came; bounded in
/// number and bytes.
class waiting_clients {
public:
  waiting_clients(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  /// Adds a request; false when it does not fit. The first always does.
  bool push(waiting_client one);
  /// A connection is gone. Who wanted to listen waits no more; what was sent or ended stays so, as with a connection
  /// that goes later.
  void left(exchange_id exchange);
  /// Takes all of them out.
  std::vector<waiting_client> take();

private:
  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::vector<waiting_client> all_;
};

} // namespace troupe::protocol
