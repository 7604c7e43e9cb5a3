#pragma once
// Text inside HTML and XML, where nothing of it may be read as markup.

#include <string>
#include <string_view>

namespace mirrorproof::reports {

/// With <, >, & and " written as entities: for elements, and for attributes in double quotes.
std::string markup_text(std::string_view text);

}  // namespace mirrorproof::reports
