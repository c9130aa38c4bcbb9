# CPack: a tarball and, on Debian, a .deb. LibTorch is no dependency of either, and the worker of this build, which belongs to this machine's LibTorch,
# is in neither. A .deb belongs to the release of Debian it was made on, since the names of its libraries differ; its version says which.
set(PT2SCOPE_MAINTAINER "The pt2scope authors <pt2scope@noreply.invalid>" CACHE STRING "Who answers for the .deb: NAME <ADDRESS>")
set(CPACK_PACKAGE_NAME pt2scope)
set(CPACK_PACKAGE_VENDOR "The pt2scope authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "desktop inspector and command line for PyTorch .pt2 files")
set(CPACK_PACKAGE_DESCRIPTION "pt2scope opens what torch.export and AOTInductor write: what is inside, what the graph
computes, what the compiled model demands, whether it runs on this machine, whether its
output is right. It is a window (pt2scope) and a command line (pt2), and needs neither
Python nor LibTorch to read a file. Models run in a process of their own, the run engine,
which \"pt2 engine install\" builds for the LibTorch of this machine.")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR TGZ)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(_suite "")
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release _lines REGEX "^(ID|VERSION_ID)=")
  if(_lines MATCHES "(^|;)ID=\"?debian\"?(;|$)" AND _lines MATCHES "VERSION_ID=\"?([0-9.]+)")
    set(_suite ${CMAKE_MATCH_1})
  endif()
endif()
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(_suite AND DPKG_SHLIBDEPS)
  list(APPEND CPACK_GENERATOR DEB)
  set(CPACK_DEBIAN_PACKAGE_RELEASE 1+deb${_suite})
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_UNSPECIFIED_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${PT2SCOPE_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# The compiler and the headers are what the run engine is built with; whoever only reads files can do without.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS
    "g++, cmake, make | ninja-build, nlohmann-json3-dev, libfmt-dev, libexpected-dev, libssl-dev, fonts-inter, fonts-jetbrains-mono, shared-mime-info, bubblewrap")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, python3-dev, qt6-wayland")
set(CPACK_PACKAGE_FILE_NAME pt2scope-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
