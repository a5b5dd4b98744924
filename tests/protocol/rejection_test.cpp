#include "protocol/rejection.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::rejection_test {

using namespace protocol;

/// The rejection as another node receives it.
rejection sent_to_node(rejection why) {
  why.headers = fields_for_node(why);
  why.is = refusal_kind::other;
  read_kind(why);
  return why;
}

TEST(rejection, keeps_its_kind_on_the_way_to_another_node) {
  for (const auto& why : {owner_unknown(), gateway_stops("5"), session_not_found(), nodes_not_known()})
    EXPECT_EQ(sent_to_node(why), why) << why.text;
}

TEST(rejection, tells_another_node_its_kind_in_a_header_field) {
  EXPECT_EQ(fields_for_node(owner_unknown()),
            (header_fields{{"Retry-After", "1"}, {"Troupe-Refusal", "owner-unknown"}}));
  EXPECT_EQ(fields_for_node(gateway_stops()),
            (header_fields{{"Retry-After", "1"}, {"Troupe-Refusal", "gateway-stops"}}));
  EXPECT_EQ(fields_for_node(nodes_not_known()), (header_fields{{"Retry-After", "1"}}));
}

/// Release 1.0.0 sends no kind, so these texts identify the kind.
TEST(rejection, is_known_by_its_text_from_a_node_of_release_1_0) {
  rejection why{503, error_code::internal_error, "Service Unavailable: nobody can tell yet who owns the session"};
  read_kind(why);
  EXPECT_EQ(why.is, refusal_kind::owner_unknown);
  EXPECT_EQ(owner_unknown().text, why.text);
  why.text = "Service Unavailable: the gateway is stopping";
  read_kind(why);
  EXPECT_EQ(why.is, refusal_kind::gateway_stops);
  EXPECT_EQ(gateway_stops().text, why.text);
  why.text += '.';
  read_kind(why);
  EXPECT_EQ(why.is, refusal_kind::other);
}

TEST(rejection, goes_by_its_kind_whatever_its_text_is) {
  auto why = owner_unknown();
  why.headers = fields_for_node(why);
  why.text = "the owner of the session is unknown";
  read_kind(why);
  EXPECT_EQ(why.is, refusal_kind::owner_unknown);
  why.headers = {{"Troupe-Refusal", "of-a-later-release"}};
  read_kind(why);
  EXPECT_EQ(why.is, refusal_kind::other);
  EXPECT_TRUE(why.headers.empty());
}

} // namespace troupe::tests::rejection_test
