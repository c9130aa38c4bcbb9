#include "core/base/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace pt2 {

void fillStandardDescriptors() {
    for (const int standard : std::array<int, 3>{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free descriptor is this one, since those below are filled. Opened the wrong way round on purpose.
        const int fd = ::open("/dev/null", standard == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        if (fd >= 0 && fd != standard) ::close(fd);
    }
}

}  // namespace pt2
