#include "net/signature.hpp"

#include <cjose/cjose.h>
#include <memory>

namespace troupe::net {

bool is_signed_by(std::string_view token, const std::string& key) {
  cjose_err ignored;
  const std::unique_ptr<cjose_jws_t, void (*)(cjose_jws_t*)> signed_text{
      cjose_jws_import(token.data(), token.size(), &ignored), cjose_jws_release};
  const std::unique_ptr<cjose_jwk_t, bool (*)(cjose_jwk_t*)> by{cjose_jwk_import(key.data(), key.size(), &ignored),
                                                                cjose_jwk_release};
  return signed_text && by && cjose_jws_verify(signed_text.get(), by.get(), &ignored);
}

} // namespace troupe::net
