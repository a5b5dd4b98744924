#include "net/crypto.hpp"

#include <gtest/gtest.h>

#include <string>

namespace troupe::tests::signature_test {

using troupe::net::is_signed_by;

namespace {

// RFC 7515, appendix A.3: a token signed with ES256, and its key.
const std::string head = "eyJhbGciOiJFUzI1NiJ9";
const std::string claims =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
const std::string signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
const std::string key = R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
                        R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";
// RFC 7515, appendix A.4: a different key.
const std::string other_key = R"({"kty":"EC","crv":"P-256","x":"WKn-ZIGevcwGIyyrzFoZNBdaq9_TsqzGl96oc0CWuis",)"
                              R"("y":"y77t-RvAHRKTsSGdIYUfweuOvwrvDD-Q3Hv5J0fSKbE"})";

} // namespace

TEST(signature, is_good_by_its_key) { EXPECT_TRUE(is_signed_by(head + "." + claims + "." + signature, key)); }

TEST(signature, is_not_good_by_another_key) {
  EXPECT_FALSE(is_signed_by(head + "." + claims + "." + signature, other_key));
}

TEST(signature, is_not_good_for_another_text) {
  auto changed = claims;
  changed[10] = changed[10] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(is_signed_by(head + "." + changed + "." + signature, key));
  EXPECT_FALSE(is_signed_by(head + "." + claims + ".", key));
  EXPECT_FALSE(is_signed_by("eyJhbGciOiJub25lIn0." + claims + ".", key)); // {"alg":"none"}
}

TEST(signature, is_none_of_what_cannot_be_read) {
  for (auto& token : {std::string{}, std::string{"."}, std::string{".."}, std::string{"a.b"}, head + "." + claims,
                      std::string(100'000, 'x'), head + "." + claims + "." + signature + ".x"})
    EXPECT_FALSE(is_signed_by(token, key)) << token.substr(0, 20);
  for (auto& no_key : {std::string{}, std::string{"{}"}, std::string{"[1]"}, std::string{R"({"kty":"oct","k":"AAAA"})"},
                       std::string{R"({"kty":"EC","crv":"P-256","x":"f83O","y":"x_FE"})"}})
    EXPECT_FALSE(is_signed_by(head + "." + claims + "." + signature, no_key)) << no_key;
}

} // namespace troupe::tests::signature_test
