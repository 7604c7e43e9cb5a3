# Installs a build into a folder, builds a project that finds it there, and reads what its properties say.
# cmake -DBUILD=... -DWORK=... -DCOMPILER=... -P run.cmake

function(run_step expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL expected)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: exit code ${code}, expected ${expected}\n${out}\n${err}")
  endif()
  set(output "${out}\n${err}" PARENT_SCOPE)
endfunction()

function(expect_output text)
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "expected \"${text}\" in\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run_step(0 ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run_step(0 ${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -DCMAKE_BUILD_TYPE=Debug
         -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/prefix)
run_step(0 ${CMAKE_COMMAND} --build ${WORK}/build)

set(saved ${WORK}/out/Mirroring.holds_with_epochs_alone.json)
run_step(1 ${CMAKE_COMMAND} -E env "RC_PARAMS=seed=1 max_success=3000" MIRRORPROOF_PROPERTY_TIME=60s
         MIRRORPROOF_PROPERTY_OUT=${WORK}/out ${WORK}/build/consumer_tests)
expect_output("[       OK ] Mirroring.holds ")
expect_output("[  FAILED  ] Mirroring.holds_with_epochs_alone")
expect_output("Mirroring.holds_with_epochs_alone does not hold: truncation-provenance (")
expect_output("\"alignment\": \"epoch_only\"")
expect_output("Saved as ${saved}. To replay it:")
expect_output("  mirrorproof replay ${saved}")
expect_output("Mirroring.never_elects_uncleanly does not hold: an unclean leader election")
expect_output("reproduce=")

# What was saved is a scenario that fails as it says, and few steps are left of it.
run_step(0 ${WORK}/prefix/bin/mirrorproof run ${saved})
expect_output("VIOLATED, as expected")
expect_output("truncation-provenance")
run_step(0 ${WORK}/prefix/bin/mirrorproof replay ${WORK}/out/Mirroring.never_elects_uncleanly.json)
file(READ ${WORK}/out/Mirroring.never_elects_uncleanly.json output)
expect_output("unclean_election")
string(REGEX MATCHALL "\"do\":" steps "${output}")
list(LENGTH steps count)
if(count GREATER 12)
  message(FATAL_ERROR "${count} steps are left:\n${output}")
endif()
file(REMOVE_RECURSE ${WORK})
