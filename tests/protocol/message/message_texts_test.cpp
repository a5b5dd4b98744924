// Ids of a message by the positions that another node has sent.

#include "protocol/message/message.hpp"

#include <gtest/gtest.h>

namespace troupe::tests::message_texts_test {

using namespace protocol;

TEST(message_texts, have_their_ids_where_they_were_read) {
  auto one = gateway_message(R"({"jsonrpc":"2.0","id":17,"method":"m","params":{"_meta":{"progressToken":"p"}}})");
  EXPECT_TRUE(has_ids_in_place(one));
  EXPECT_TRUE(has_ids_in_place(gateway_message(R"({"jsonrpc":"2.0","method":"n"})")));
  EXPECT_TRUE(has_ids_in_place(relayed(one, "123456", "9")));
}

TEST(message_texts, have_their_ids_in_place_however_these_are_written) {
  auto one = gateway_message(R"({"jsonrpc":"2.0","id":"a\u0062","result":{}})");
  EXPECT_EQ(one.id, R"("ab")");
  EXPECT_TRUE(has_ids_in_place(one));
}

TEST(message_texts, do_not_have_them_past_their_end_nor_in_one_place) {
  auto good = gateway_message(R"({"jsonrpc":"2.0","id":17,"method":"m","params":{"_meta":{"progressToken":"p"}}})");
  for (auto at : {good.text.size() - 1, good.text.size(), good.text.size() + 1, std::string::npos}) {
    auto one = good;
    one.id_at.at = at;
    EXPECT_FALSE(has_ids_in_place(one)) << at;
    one = good;
    one.reference_at = {at, 2};
    EXPECT_FALSE(has_ids_in_place(one)) << at;
  }
  auto overlapping = good;
  overlapping.id_at.at = good.reference_at.at + 1;
  EXPECT_FALSE(has_ids_in_place(overlapping));
  overlapping.id_at.at = good.reference_at.at + good.reference_at.size;
  EXPECT_TRUE(has_ids_in_place(overlapping));
  good.id_at.size = std::string::npos;
  EXPECT_FALSE(has_ids_in_place(good));
}

} // namespace troupe::tests::message_texts_test
