#pragma once

#include "protocol/catalog/list_cursors.hpp"
#include "protocol/message/cache_hints.hpp"
#include "protocol/message/lists.hpp"
#include "protocol/message/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace troupe::protocol {

// One page of a list, as requests ask for it and answers hold it (2025-11-25, "Pagination").

/// Whether the request asks for the first page. Some clients write a cursor of null for that.
bool asks_for_first_page(const message& request);
/// What the client's request goes on with; nothing when its cursor is none of a merged list.
std::optional<merged_place> merged_cursor_of(const message& request, const cursor_seal& seal = {});
/// The request with a server's cursor, a JSON string token, in place of its own; without any when that is empty.
message with_cursor(message request, std::string_view token);

/// Whether the answer has a result that is an object; an empty text has none.
bool has_object_result(std::string_view answer);
/// What the answer has for a cursor, a JSON token; empty when the list ends here. `is_modern` for an answer of
/// 2026-07-28.
std::string_view continuation_in(std::string_view answer, bool is_modern);
/// The cursor of the next page, a JSON string token; empty when there is none, or what stands there is no string.
std::string_view next_cursor(std::string_view answer, bool is_modern);

/// The answer to the client: its items as the elements of a JSON array, and where each server's list goes on. `hints`
/// are for one that reads them.
message list_answer(std::string_view id, list_kind kind, std::string_view items, const merged_place& next,
                    const cursor_seal& seal = {}, const std::optional<cache_hints>& hints = {});

} // namespace troupe::protocol
