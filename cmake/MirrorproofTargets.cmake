# Compile options shared by every target, and the helper that declares one layer.

add_library(mirrorproof_options INTERFACE)
target_compile_options(mirrorproof_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  # The same numbers on every machine: no fused multiply-add where the source has two roundings.
  -ffp-contract=off
  # Messages name model/log.cpp, wherever the tree was built.
  "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/="
  # False alarms of the optimiser of g++ 12 about the inline storage of boost::container::small_vector.
  "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overread;-Wno-stringop-overflow;-Wno-restrict;-Wno-maybe-uninitialized>")
if(MIRRORPROOF_WERROR)
  target_compile_options(mirrorproof_options INTERFACE -Werror)
endif()
if(MIRRORPROOF_SANITIZE)
  target_compile_options(mirrorproof_options INTERFACE -fsanitize=address,undefined
                                                       -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(mirrorproof_options INTERFACE -fsanitize=address,undefined)
  # Checked operator[] and iterators: the address sanitizer does not see an overrun inside one object.
  target_compile_definitions(mirrorproof_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
if(MIRRORPROOF_FUZZERS)
  # Without the checks of pointers that the address sanitizer makes anyway: they are a quarter of the build.
  target_compile_options(mirrorproof_options INTERFACE -fsanitize=fuzzer-no-link
                                                       -fno-sanitize=null,alignment,vptr,object-size)
endif()

# What no search or campaign spends its time in is compiled for a quick build: it is most of the text, and optimising
# it a quarter of the build.
add_library(mirrorproof_quick_build INTERFACE)
target_compile_options(mirrorproof_quick_build INTERFACE $<$<CONFIG:Release>:-O1> $<$<CONFIG:Debug>:-O0>)

# The objects of the layers that they do spend it in, for programs to link first: of an inline function that several
# objects hold, the linker takes the first copy.
foreach(layer model sim checker scenarios explore)
  list(APPEND MIRRORPROOF_FIRST_OBJECTS $<TARGET_OBJECTS:mirrorproof_${layer}>)
endforeach()

# mirrorproof_layer(NAME [QUICK_BUILD] [DEPENDS target...] [HEADERS pattern] [HEADERS_TO folder]): all sources of the
# current folder as mirrorproof_NAME. Its headers are installed where includes look for them: below a folder of its
# name, unless told otherwise.
function(mirrorproof_layer name)
  cmake_parse_arguments(LAYER "QUICK_BUILD" "HEADERS;HEADERS_TO" "DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(mirrorproof_${name} STATIC ${sources})
  add_library(mirrorproof::${name} ALIAS mirrorproof_${name})
  target_include_directories(mirrorproof_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/mirrorproof>)
  target_include_directories(mirrorproof_${name} SYSTEM PUBLIC $<BUILD_INTERFACE:${Boost_INCLUDE_DIRS}>)
  target_compile_features(mirrorproof_${name} PUBLIC cxx_std_20)
  target_link_libraries(mirrorproof_${name} PUBLIC ${LAYER_DEPENDS} PRIVATE $<BUILD_INTERFACE:mirrorproof_options>)
  if(LAYER_QUICK_BUILD)
    target_link_libraries(mirrorproof_${name} PRIVATE $<BUILD_INTERFACE:mirrorproof_quick_build>)
  endif()
  # Most of a file's build time is parsing the same headers; a layer is compiled a dozen files at a time.
  set_target_properties(mirrorproof_${name} PROPERTIES UNITY_BUILD ${MIRRORPROOF_UNITY} UNITY_BUILD_BATCH_SIZE 12
                                                       EXPORT_NAME ${name})

  install(TARGETS mirrorproof_${name} EXPORT mirrorproofTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(NOT LAYER_HEADERS)
    set(LAYER_HEADERS "*.h")
    set(LAYER_HEADERS_TO ${name})
  endif()
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${LAYER_HEADERS})
  install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mirrorproof/${LAYER_HEADERS_TO})
endfunction()
