#include "core/run/stream_io.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/file.h"

namespace pt2 {

namespace {

constexpr std::size_t kMaxTravelling = 16;
/// How soon a descriptor closed by another thread is noticed, milliseconds: closing it does not wake who waits for it.
constexpr int kTick = 200;

Error lost(int code) {
    Error error = systemError("The connection to the run engine broke.", {}, code);
    error.code = "worker.lost";
    return error;
}

}  // namespace

bool waitToRead(int fd) {
    for (;;) {
        pollfd event{fd, POLLIN, 0};
        const int count = ::poll(&event, 1, kTick);
        if (count > 0) return (event.revents & POLLNVAL) == 0;
        if (count < 0 && errno != EINTR) return true;  // the read will say why
    }
}

Result<Received> receiveSome(int fd, MutableBytes into) {
    Received received;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxTravelling * sizeof(int))> control{};
    iovec vector{into.data(), into.size()};
    msghdr message{};
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t count = 0;
    do {
        count = ::recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == ENOTSOCK) {
            message.msg_controllen = 0;
            count = ::read(fd, into.data(), into.size());
        }
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            received.again = true;
            return received;
        }
        if (errno == ECONNRESET) {
            received.ended = true;
            return received;
        }
        return fail(lost(errno));
    }
    if (message.msg_controllen > 0) {
        for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
            if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
            const std::size_t files = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
            for (std::size_t i = 0; i < files; ++i) {
                int travelled = -1;
                std::memcpy(&travelled, CMSG_DATA(part) + i * sizeof(int), sizeof(int));
                received.descriptors.emplace_back(travelled);
            }
        }
    }
    received.bytes = static_cast<std::size_t>(count);
    received.ended = count == 0;
    return received;
}

Result<std::size_t> sendSome(int fd, Bytes bytes, const std::vector<int>& descriptors) {
    if (descriptors.size() > kMaxTravelling) return fail(lost(EINVAL));
    ssize_t count = 0;
    do {
        if (descriptors.empty()) {
            count = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (count < 0 && errno == ENOTSOCK) count = ::write(fd, bytes.data(), bytes.size());
        } else {
            alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxTravelling * sizeof(int))> control{};
            // sendmsg only reads what the vector points to.
            iovec vector{const_cast<std::byte*>(bytes.data()), bytes.size()};
            msghdr message{};
            message.msg_iov = &vector;
            message.msg_iovlen = 1;
            message.msg_control = control.data();
            message.msg_controllen = CMSG_SPACE(descriptors.size() * sizeof(int));
            cmsghdr* part = CMSG_FIRSTHDR(&message);
            part->cmsg_level = SOL_SOCKET;
            part->cmsg_type = SCM_RIGHTS;
            part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
            std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size() * sizeof(int));
            count = ::sendmsg(fd, &message, MSG_NOSIGNAL);
        }
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        if (errno == EAGAIN || errno == EWOULDBLOCK) return std::size_t{0};
        return fail(lost(errno));
    }
    return static_cast<std::size_t>(count);
}

Status sendAll(int fd, Bytes bytes, const std::vector<int>& descriptors) {
    bool travelled = descriptors.empty();
    while (!bytes.empty()) {
        const auto sent = travelled ? sendSome(fd, bytes) : sendSome(fd, bytes, descriptors);
        if (!sent) return fail(sent.error());
        if (*sent > 0) travelled = true;
        bytes = bytes.subspan(*sent);
    }
    return {};
}

}  // namespace pt2
