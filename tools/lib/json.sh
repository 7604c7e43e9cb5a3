# Reads the JSON that the program prints, with nothing but awk: a fresh machine has neither python nor jq.
# Sourced by the tools, never run.
# shellcheck shell=bash

# json_flat FILE: each scalar as PATH<tab>VALUE (see flatten_json.awk).
json_flat() { awk -f "$ROOT/tools/lib/flatten_json.awk" "$1"; }

# json_value FLAT PATH: the value at exactly that path; nothing if there is none.
json_value() {
  printf '%s\n' "$1" | awk -F '\t' -v path="$2" '$1 == path { print substr($0, length(path) + 2); exit }'
}

# json_count FLAT PATTERN: how many different texts the pattern (extended regular expression) matches in the lines.
json_count() { printf '%s\n' "$1" | { grep -oE "$2" || true; } | sort -u | wc -l; }
