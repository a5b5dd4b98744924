#include "actors/upstream/faced_wire.hpp"

namespace troupe::actors {

faced_wire::faced_wire(starter start, server_actor server, protocol::server_era known)
    : start_{std::move(start)}, wire_{start_()},
      face_{{.era = wire_->era(), .known = known, .name = wire_->server_name()}, *this, std::move(server)} {}

void faced_wire::start_again() {
  wire_.reset();
  wire_ = start_();
  lost_ = false;
}

} // namespace troupe::actors
