#pragma once
// The HTML report as one file: data, style and program in the template of reports/html/. Nothing is loaded
// from anywhere, and nothing of the data is ever read as markup.

#include <string>
#include <string_view>

#include "reports/judgement_report.h"

namespace mirrorproof::reports {

/// The page. `title` and `page` may hold any text.
std::string html_page(std::string_view title, const Json& page);

}  // namespace mirrorproof::reports
