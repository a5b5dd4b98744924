#include "protocol/text/secret_mask.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::secret_mask_test {

using protocol::secret_mask;

TEST(secret_mask, hides_the_secrets_of_the_environment_wherever_they_are) {
  const secret_mask it{{{"API_KEY", "abcd-1234-efgh"},
                        {"PASSWORD", "pass"},
                        {"PIN_TOKEN", "483920"},
                        {"DB", "postgres://ann:hunter22@db/x"},
                        {"ANY", "ghp_0123456789abcdef"},
                        {"B64_KEY", "-_a/b7c="}}};
  EXPECT_EQ(it.masked("no such key: abcd-1234-efgh, nor abcd-1234-efgh!"), "no such key: ***, nor ***!");
  EXPECT_EQ(it.masked("cannot log in with pass"), "cannot log in with ***");
  EXPECT_EQ(it.masked("pin 483920"), "pin ***");
  EXPECT_EQ(it.masked("cannot open postgres://ann:hunter22@db/x"), "cannot open postgres://ann:***@db/x");
  EXPECT_EQ(it.masked("ghp_0123456789abcdef and -_a/b7c="), "*** and ***");
  EXPECT_EQ(it.masked("nothing of it"), "nothing of it");
}

TEST(secret_mask, knows_secrets_by_all_usual_names_and_in_connection_strings) {
  const secret_mask it{{{"PGPASSWORD", "correct-horse"},
                        {"DB_PASSWORD_1", "s3cret\n"},
                        {"apiKey", "k3y-of-api"},
                        {"REDISCLI_AUTH", "a-very-long-phrase"},
                        {"WEBHOOK_SECRET", "https://hooks.example/T0/B0/abc"},
                        {"BUS", "Endpoint=sb://x.example;SharedAccessKey=Zm9v0Q=="}}};
  EXPECT_EQ(it.masked("correct-horse s3cret k3y-of-api a-very-long-phrase"), "*** *** *** ***");
  EXPECT_EQ(it.masked("POST https://hooks.example/T0/B0/abc failed"), "POST *** failed");
  EXPECT_EQ(it.masked("bad Zm9v0Q== at sb://x.example"), "bad *** at sb://x.example");
}

TEST(secret_mask, replaces_short_words_only_as_a_whole) {
  const secret_mask it{{{"DB_PASSWORD", "postgres"}}};
  EXPECT_EQ(it.masked("postgres-mcp: password 'postgres' is wrong"), "postgres-mcp: password '***' is wrong");
}

TEST(secret_mask, leaves_what_is_no_secret) {
  const secret_mask it{{{"LOG_LEVEL", "debug"},
                        {"TOKEN_LIMIT", "100000"},
                        {"TOKENIZERS_PARALLELISM", "false"},
                        {"USE_TOKEN", "true"},
                        {"AUTH_MODE", "certificate"},
                        {"PASSWORD_FILE", "/run/secrets/db"},
                        {"SSH_KEY", "/home/ann/key.pem"},
                        {"TLS_KEY", "certs/server.key"},
                        {"SORT_KEY", "name"},
                        {"ALLOWED_DIRS", "/srv/projects/alpha\n/srv/projects/beta"},
                        {"OAUTH_TOKEN_URL", "https://login.example/token"},
                        {"PASSWORD", "abc"},
                        {"EMPTY_TOKEN", ""}}};
  for (const auto* text : {"debug", "100000 is too much", "false", "true", "certificate", "no /run/secrets/db",
                           "cannot read /home/ann/key.pem", "certs/server.key by name", "/srv/projects/beta",
                           "cannot reach https://login.example/token", "abc"})
    EXPECT_EQ(it.masked(text), text);
  EXPECT_EQ(secret_mask{}.masked("text"), "text");
}

TEST(secret_mask, hides_each_line_of_a_key) {
  const secret_mask it{
      {{"SIGNING", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END-----\n"}}};
  EXPECT_EQ(it.masked("bad line MIIEvQIBADANBgkq"), "bad line ***");
  EXPECT_EQ(it.masked("-----BEGIN PRIVATE KEY-----"), "-----BEGIN PRIVATE KEY-----");
}

TEST(secret_mask, hides_all_of_a_secret_that_contains_another) {
  const secret_mask it{{{"A_TOKEN", "12345678-secret"}, {"B_TOKEN", "12345678-secret-and-more"}}};
  EXPECT_EQ(it.masked("b is 12345678-secret-and-more, a 12345678-secret."), "b is ***, a ***.");
}

TEST(secret_mask, hides_the_beginning_of_a_secret_where_a_text_was_cut) {
  const secret_mask it{{{"API_KEY", "abcd-1234-efgh"}}};
  EXPECT_EQ(it.masked("key abcd-1234", true), "key ***");
  EXPECT_EQ(it.masked("key abcd", true), "key ***");
  EXPECT_EQ(it.masked("key abc", true), "key abc") << "too short to tell";
  EXPECT_EQ(it.masked("key abcd-1 is bad", true), "key abcd-1 is bad");
  EXPECT_EQ(it.masked("key abcd-1234"), "key abcd-1234") << "it was not cut";
}

} // namespace troupe::tests::secret_mask_test
