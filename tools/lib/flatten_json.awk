# Prints each scalar of one JSON document as PATH<tab>VALUE, so that shell tools can read it with grep and cut:
#   {"a": [{"b": "x"}], "c": true}   ->   a[0].b<tab>x   and   c<tab>true
# Escapes in texts stay as they are written. Exits 1 when the document is not well formed.

function fail() {
  failed = 1
  exit 1
}

# Reads the text whose opening quote is at `at`; leaves `at` behind the closing quote.
function read_text(    begin, c) {
  begin = ++at
  while (at <= size) {
    c = substr(json, at, 1)
    if (c == "\\") {
      at += 2
    } else if (c == "\"") {
      at++
      return substr(json, begin, at - begin - 1)
    } else {
      at++
    }
  }
  fail()
}

function path_of(    level, path) {
  path = ""
  for (level = 1; level <= depth; level++) {
    path = path (kind[level] == "[" ? "[" number[level] "]" : (path == "" ? "" : ".") key[level])
  }
  return path
}

{ json = json $0 "\n" }

END {
  if (failed) {
    exit 1
  }
  size = length(json)
  at = 1
  depth = 0
  values = 0
  expects_key = 0
  while (at <= size) {
    c = substr(json, at, 1)
    if (c == " " || c == "\n" || c == "\t" || c == "\r") {
      at++
    } else if (c == "{" || c == "[") {
      depth++
      kind[depth] = c
      number[depth] = 0
      expects_key = c == "{"
      at++
    } else if (c == "}" || c == "]") {
      if (depth == 0 || kind[depth] != (c == "}" ? "{" : "[")) {
        fail()
      }
      depth--
      expects_key = 0
      values++
      at++
    } else if (c == ",") {
      if (depth == 0) {
        fail()
      }
      number[depth]++
      expects_key = kind[depth] == "{"
      at++
    } else if (c == ":") {
      at++
    } else if (c == "\"") {
      text = read_text()
      if (expects_key) {
        key[depth] = text
        expects_key = 0
      } else {
        print path_of() "\t" text
        values++
      }
    } else {
      begin = at
      while (at <= size && index(" \n\t\r,}]", substr(json, at, 1)) == 0) {
        at++
      }
      text = substr(json, begin, at - begin)
      if (text !~ /^(true|false|null|-?[0-9][0-9.eE+-]*)$/) {
        fail()
      }
      print path_of() "\t" text
      values++
    }
  }
  if (depth != 0 || values == 0) {
    exit 1
  }
}
