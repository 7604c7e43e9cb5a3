#!/usr/bin/env bash
# Runs every scenario of a folder; one JUnit file and one HTML report each. Fails if any does not end as it expects.
#
#   docs/ci/scenarios.sh PROGRAM FOLDER OUT
set -euo pipefail

program="${1:?the mirrorproof program}" folder="${2:?a folder of scenarios}" out="${3:?where the reports go}"
mkdir -p "$out"
failed=0
ran=0
for scenario in "$folder"/*.json; do
  [[ $scenario != *.schema.json && -e $scenario ]] || continue
  name="$(basename "$scenario" .json)"
  ran=$((ran + 1))
  code=0
  "$program" run "$scenario" --junit "$out/$name.xml" --html "$out/$name.html" --force || code=$?
  if ((code != 0)); then
    failed=$((failed + 1))
    printf 'NOT as expected (exit code %d): %s\n  report: %s\n  replay: %s replay %s\n' \
      "$code" "$scenario" "$out/$name.html" "$program" "$scenario" >&2
    # GitHub shows these beside the change.
    [[ -z ${GITHUB_ACTIONS:-} ]] || printf '::error file=%s::not as expected (exit code %d)\n' "$scenario" "$code"
  fi
done
printf '%d scenarios, %d not as expected\n' "$ran" "$failed"
((ran > 0 && failed == 0))
