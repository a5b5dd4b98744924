#include "protocol/catalog/catalog_effects.hpp"

namespace troupe::protocol {

tell_client refused(const message& request, int code, std::string_view why) {
  return {own_message(error_text(request.id, code, why))};
}

} // namespace troupe::protocol
