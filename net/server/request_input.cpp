#include "net/server/request_input.hpp"

namespace troupe::net {

bool request_input::may_receive(bool is_answering) const {
  if (!reader_ || unread() != 0)
    return false;
  return is_answering ? reader_->request().method != "GET" : !body_begun_;
}

request_reader& request_input::reader(const connection_limits& limits) {
  if (!reader_)
    reader_ = std::make_unique<request_reader>(limits);
  return *reader_;
}

void request_input::forget() {
  body_begun_ = false;
  if (reader_)
    reader_->forget();
}

void request_input::forget_for_long() {
  forget();
  if (unread() == 0 && !receiving_)
    drop();
}

bool request_input::rest(bool is_allowed) {
  never_rest();
  if (is_allowed && !receiving_)
    drop();
  return is_allowed && receiving_;
}

} // namespace troupe::net
