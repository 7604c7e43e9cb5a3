# `cmake --install BUILD --prefix DIR`: the program, the layers, and a package that find_package(mirrorproof)
# finds. docs/property-tests.md shows a project that uses it.

include(CMakePackageConfigHelpers)

install(TARGETS mirrorproof RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(MIRRORPROOF_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mirrorproof)
install(EXPORT mirrorproofTargets NAMESPACE mirrorproof:: DESTINATION ${MIRRORPROOF_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/mirrorproofConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/mirrorproofConfig.cmake
                              INSTALL_DESTINATION ${MIRRORPROOF_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mirrorproofConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mirrorproofConfig.cmake ${PROJECT_BINARY_DIR}/mirrorproofConfigVersion.cmake
        DESTINATION ${MIRRORPROOF_PACKAGE_DIR})
