#include "cli/html/html.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/printable.hpp"

namespace kann::cli {
namespace {

// Colours are those of the histogram in light, and of the same hue in dark.
constexpr std::string_view k_style = R"(
:root { color-scheme: light dark; --paper: #fff; --card: #f6f7f9; --ink: #222; --soft: #59616b; --line: #d5d9df;
  --blue: #3a6ea5; --good: #1d7a3e; --bad: #b3261e; --other: #8a5a00 }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --card: #1e2329; --ink: #e4e7eb; --soft: #a0a8b3;
  --line: #3a424c; --blue: #6fa3dc; --good: #5cc883; --bad: #ff8a80; --other: #e0ac4f } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 75rem; padding: 1rem; display: flex; flex-direction: column; gap: 1rem;
  background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.5rem; overflow-wrap: anywhere }
h2 { margin: 0 0 .5rem; font-size: 1.1rem }
p, ul { margin: .25rem 0; overflow-wrap: anywhere }
ul { padding-left: 1.25rem }
section, details { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem;
  min-width: 0 }
@media print { section { break-inside: avoid } img, svg { max-height: 9cm; width: auto } }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; min-width: 100% }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line) }
@media (max-width: 30rem) { th, td { padding-right: .5rem } }
th { font-weight: 600; color: var(--soft) }
.facts td { overflow-wrap: anywhere }
.number { text-align: right; white-space: nowrap }
pre { margin: .5rem 0 0; overflow-x: auto; font-size: .85rem }
img, svg { display: block; max-width: 100%; height: auto; border-radius: .25rem }
img { margin: 0 auto }
svg { fill: var(--ink); margin: 0 auto }
svg > rect:first-of-type { fill: var(--card) }
svg > rect { fill: var(--blue) }
svg > path { stroke: var(--line) } svg > path[stroke="#222"] { stroke: var(--ink) }
svg > text[fill="#555"] { fill: var(--soft) }
.verdict { font-weight: 700 }
.good { color: var(--good) } .bad { color: var(--bad) } .other { color: var(--other) }
)";

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    for (const char c : base::printable(line)) {
      const std::string_view escaped = c == '&'   ? "&amp;"
                                       : c == '<' ? "&lt;"
                                       : c == '>' ? "&gt;"
                                       : c == '"' ? "&quot;"
                                                  : "";
      escaped.empty() ? out += c : out += escaped;
    }
    at += line.size();
    if (at < text.size()) out += text[at++];
  }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t given = std::min<std::size_t>(3, bytes.size() - i);
    unsigned group = 0;
    for (std::size_t b = 0; b < 3; ++b)
      group = group << 8 | (b < given ? static_cast<unsigned char>(bytes[i + b]) : 0u);
    for (std::size_t d = 0; d < 4; ++d) out += d <= given ? digits[group >> (18 - 6 * d) & 63] : '=';
  }
  return out;
}

std::string page_begin(std::string_view version, std::string_view title) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"generator\" content=\"kann {0}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{1}</title>\n<style>{2}</style>"
      "\n<body>\n<h1>{1}</h1>\n",
      version, html_text(title), k_style);
}

}  // namespace kann::cli
