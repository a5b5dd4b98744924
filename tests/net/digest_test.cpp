#include "net/crypto.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::digest_test {

using namespace net;

namespace {

std::string hex(const std::array<std::byte, 16>& bytes) {
  std::string result;
  for (auto one : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", std::to_integer<unsigned>(one));
    result += pair;
  }
  return result;
}

} // namespace

// RFC 4231, 4.2 to 4.8.
TEST(digest, with_a_key_is_that_of_the_rfc) {
  auto bytes = [](std::size_t size, int value) { return std::string(size, static_cast<char>(value)); };
  std::string counted;
  for (auto i = 1; i <= 25; ++i)
    counted += static_cast<char>(i);
  EXPECT_EQ(hex(keyed_digest(bytes(20, 0x0b), "Hi There")), "b0344c61d8db38535ca8afceaf0bf12b");
  EXPECT_EQ(hex(keyed_digest("Jefe", "what do ya want for nothing?")), "5bdcc146bf60754e6a042426089575c7");
  EXPECT_EQ(hex(keyed_digest(bytes(20, 0xaa), bytes(50, 0xdd))), "773ea91e36800e46854db8ebd09181a7");
  EXPECT_EQ(hex(keyed_digest(counted, bytes(50, 0xcd))), "82558a389a443c0ea4cc819899f2083a");
  EXPECT_EQ(hex(keyed_digest(bytes(20, 0x0c), "Test With Truncation")), "a3b6167473100ee06e0c796c2955552b");
  EXPECT_EQ(hex(keyed_digest(bytes(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f");
  EXPECT_EQ(hex(keyed_digest(bytes(131, 0xaa),
                             "This is a test using a larger than block-size key and a larger than block-size data. The "
                             "key needs to be hashed before being used by the HMAC algorithm.")),
            "9b09ffa71b942fcb27635fbcd5b0e944");
}

TEST(digest, differs_with_every_key_even_the_empty_one) {
  EXPECT_EQ(hex(keyed_digest({}, {})), "b613679a0814d9ec772f95d778c35fc5");
  EXPECT_NE(keyed_digest("a", "text"), keyed_digest("b", "text"));
  EXPECT_NE(keyed_digest("a", "text"), keyed_digest("a", "texts"));
}

TEST(digest, of_a_secret_that_people_chose_takes_many_rounds) {
  EXPECT_EQ(digest_hex(stretched_key("passwd")), "fc8db3e2af2bc888a6a5ac2edca5915c443d8996268dbcc3d5c20c05913735e9");
  EXPECT_NE(stretched_key(""), stretched_key("a"));
}

// FIPS 180-2, B.1, and the digest of the empty text.
TEST(digest, without_a_key_is_that_of_the_standard) {
  EXPECT_EQ(digest_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest_hex({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest_64("abc"), 0xba7816bf8f01cfeaU);
  EXPECT_EQ(digest_64({}), 0xe3b0c44298fc1c14U);
}

} // namespace troupe::tests::digest_test
