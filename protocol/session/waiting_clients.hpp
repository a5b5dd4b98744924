#pragma once

#include "protocol/exchange_id.hpp"
#include "protocol/message/message.hpp"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace troupe::protocol {

/// What a client wants of a session that is not there yet.
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

/// Those who wait until a session is there again, in the order in which they came, up to a number and to a size.
class waiting_clients {
public:
  waiting_clients(std::size_t most, std::size_t most_bytes) : most_{most}, most_bytes_{most_bytes} {}

  /// Takes one in; false when there is no room. The first always fits.
  bool push(waiting_client one);
  /// A connection is gone. Who wanted to listen waits no more; what was sent or ended stays so, as with a connection
  /// that goes later.
  void left(exchange_id exchange);
  /// All of them; nobody waits afterwards.
  std::vector<waiting_client> take();

private:
  std::size_t most_;
  std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::vector<waiting_client> all_;
};

} // namespace troupe::protocol
