#include "reports/html_page.h"

#include <array>
#include <utility>

#include "reports/html_files.h"
#include "reports/markup.h"

namespace mirrorproof::reports {
namespace {

/// JSON that holds no "<": nothing in it can end the element it stands in.
std::string embedded_json(const Json& document) {
  const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string html_page(std::string_view title, const Json& page) {
  const std::array<std::pair<std::string_view, std::string>, 4> parts{{
      {"{{title}}", markup_text(title)},
      {"{{style}}", std::string(html_files::kStyle)},
      {"{{data}}", embedded_json(page)},
      {"{{script}}", html_files::script()},
  }};
  // Cut from the front and never looked at again: what a part holds cannot be taken for a place to fill.
  std::string_view rest = html_files::kTemplate;
  std::string out;
  for (const auto& [place, text] : parts) {
    const std::size_t found = rest.find(place);
    out += rest.substr(0, found);
    out += text;
    rest.remove_prefix(found + place.size());
  }
  out += rest;
  return out;
}

}  // namespace mirrorproof::reports
