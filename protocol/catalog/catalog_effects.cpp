#include "protocol/catalog/catalog_effects.hpp"

namespace troupe::protocol {

send_to_client refused(const message& request, int code, std::string_view why) {
  return {gateway_message(error_text(request.id, code, why))};
}

} // namespace troupe::protocol
