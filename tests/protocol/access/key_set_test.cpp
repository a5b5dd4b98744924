#include "protocol/access/issuer_keys.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::key_set_test {

using namespace protocol;

namespace {

const std::string rsa = R"({"kty":"RSA","kid":"r","n":"AQAB","e":"AQAB"})";
const std::string curve = R"({"kty":"EC","crv":"P-256","kid":"e","x":"AA","y":"AA","use":"sig"})";

std::size_t found(const std::string& key, std::string_view algorithm, std::string_view id = {}) {
  return key_set{R"({"keys":[)" + key + "]}"}.find(algorithm, id).size();
}

} // namespace

TEST(key_set, finds_the_key_of_an_id_for_the_algorithms_of_its_kind) {
  const key_set keys{R"({"keys":[)" + rsa + "," + curve + "]}"};
  EXPECT_EQ(keys.size(), 2U);
  for (auto algorithm : {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
    EXPECT_EQ(keys.find(algorithm, "r"), (std::vector{public_key{"r", rsa}})) << algorithm;
  EXPECT_EQ(keys.find("ES256", ""), (std::vector{public_key{"e", curve}}));
  EXPECT_TRUE(keys.find("RS256", "e").empty());
  EXPECT_TRUE(keys.find("ES384", "e").empty());
  EXPECT_TRUE(keys.find("RS256", "unknown").empty());
}

// RFC 8725, 3.1: neither tokens without a signature, nor a public key as a shared secret
TEST(key_set, has_no_key_for_algorithms_that_are_not_accepted) {
  for (auto algorithm : {"none", "None", "", "HS256", "HS512", "rs256", "RSA-OAEP", "EdDSA", "ES256K", "dir"}) {
    EXPECT_EQ(found(rsa, algorithm, "r"), 0U) << algorithm;
    EXPECT_EQ(found(curve, algorithm, "e"), 0U) << algorithm;
    EXPECT_FALSE(is_accepted_algorithm(algorithm)) << algorithm;
  }
}

TEST(key_set, leaves_out_keys_that_sign_no_tokens) {
  EXPECT_EQ(found(R"({"kty":"oct","kid":"s","k":"AA"})", "RS256"), 0U);
  EXPECT_EQ(found(R"({"kty":"RSA","use":"enc"})", "RS256"), 0U);
  EXPECT_EQ(found(R"({"kty":"RSA","key_ops":["encrypt"]})", "RS256"), 0U);
  EXPECT_EQ(found(R"({"kty":"RSA","key_ops":["verify"]})", "RS256"), 1U);
  EXPECT_EQ(found(R"({"kty":"RSA","d":"AA"})", "RS256"), 0U);
  EXPECT_EQ(found(R"({"kty":"RSA","alg":"PS256"})", "RS256"), 0U);
  EXPECT_EQ(found(R"({"kty":"RSA","alg":"PS256"})", "PS256"), 1U);
  EXPECT_EQ(found("7,[],null", "RS256"), 0U);
}

TEST(key_set, is_empty_when_the_text_is_none) {
  for (auto text : {"", "{", "[]", "{}", R"({"keys":{}})", R"({"keys":7})"})
    EXPECT_TRUE(key_set{text}.is_empty()) << text;
}

TEST(key_set, keeps_so_many_keys_at_most) {
  for (auto [count, kept] : {std::pair{99U, 99U}, {100U, 100U}, {101U, 100U}}) {
    std::string all = rsa;
    for (std::size_t i = 1; i < count; ++i)
      all += "," + rsa;
    EXPECT_EQ(found(all, "RS256"), kept);
  }
}

// RFC 7518, 3.3 and 3.4
TEST(key_set, tells_the_size_of_signatures) {
  for (auto [algorithm, size] : {std::pair{"ES256", 64}, {"ES384", 96}, {"ES512", 132}})
    for (auto more : {-1, 0, 1})
      EXPECT_EQ(fits_signature(algorithm, static_cast<std::size_t>(size + more)), more == 0) << algorithm;
  EXPECT_FALSE(fits_signature("RS256", 255));
  EXPECT_TRUE(fits_signature("PS512", 256));
  EXPECT_TRUE(fits_signature("RS384", 512));
  EXPECT_FALSE(fits_signature("none", 0));
  EXPECT_FALSE(fits_signature("HS256", 256));
}

} // namespace troupe::tests::key_set_test
