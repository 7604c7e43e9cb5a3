#pragma once
// Text inside HTML and XML, where nothing of it may be read as markup.

#include <string>
#include <string_view>

namespace mirrorproof::reports {

/// With <, >, & and " written as entities: for elements, and for attributes in double quotes.
std::string markup_text(std::string_view text);

/// A relative path as a URL: everything but letters, digits, "/" and a few signs is percent-encoded.
std::string url_path(std::string_view path);

}  // namespace mirrorproof::reports
