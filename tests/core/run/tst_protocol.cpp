#include "core/run/protocol.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QtTest>
#include <algorithm>
#include <array>
#include <random>

#include "core/run/memory_file.h"
#include "core/run/model_message.h"
#include "core/run/stream_io.h"
#include "core/run/tensor_exchange.h"

using namespace pt2;

namespace {

ByteBuffer stream(const std::vector<const Frame*>& frames) {
    ByteBuffer out = encodePreamble();
    for (const Frame* frame : frames) {
        const auto head = encodeFrameHead(*frame);
        out.insert(out.end(), head->begin(), head->end());
        out.insert(out.end(), frame->payload.begin(), frame->payload.end());
    }
    return out;
}

ByteBuffer withHeader(const std::string& header) {
    ByteBuffer out = encodePreamble();
    const auto length = static_cast<std::uint32_t>(header.size());
    for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<std::byte>(length >> shift & 0xff));
    const Bytes bytes = asBytes(header);
    out.insert(out.end(), bytes.begin(), bytes.end());
    return out;
}

std::string codeOf(const ByteBuffer& bytes) {
    FrameDecoder decoder;
    decoder.feed(bytes);
    const auto frame = decoder.next();
    return frame ? (*frame ? "frame" : "incomplete") : frame.error().code;
}

Tensor floats(std::vector<std::int64_t> sizes, float first) {
    auto made = allocateTensor(DType::Float32, std::move(sizes));
    const std::size_t count = made->bytes.size() / sizeof(float);
    for (std::size_t i = 0; i < count; ++i) {
        const float value = first + static_cast<float>(i);
        std::memcpy(made->bytes.data() + i * sizeof(float), &value, sizeof(float));
    }
    return made->tensor;
}

}  // namespace

class TestProtocol : public QObject {
    Q_OBJECT

private slots:
    void framesComeBackWhateverThePiecesTheyArriveIn() {
        std::vector<Frame> frames(3);
        frames[0].sequence = 7;
        frames[0].body = {{"request", "load"}, {"library", "/a/ü.so"}};
        frames[1].sequence = ~std::uint64_t{0};
        frames[1].payload = ByteBuffer(100'000, std::byte{42});
        frames[2].body = {{"deep", {{"er", {1, 2, 3}}}}};
        const ByteBuffer bytes = stream({&frames[0], &frames[1], &frames[2]});
        std::mt19937 random(1);
        for (const std::size_t largest : {std::size_t{1}, std::size_t{13}, std::size_t{5000}, bytes.size()}) {
            FrameDecoder decoder;
            std::size_t seen = 0, at = 0;
            while (at < bytes.size()) {
                const std::size_t piece = std::min<std::size_t>(bytes.size() - at, 1 + random() % largest);
                decoder.feed(Bytes(bytes).subspan(at, piece));
                at += piece;
                for (auto frame = decoder.next(); frame && *frame; frame = decoder.next()) {
                    QVERIFY(seen < frames.size());
                    QCOMPARE((*frame)->sequence, frames[seen].sequence);
                    QVERIFY((*frame)->body == frames[seen].body);
                    QVERIFY((*frame)->payload == frames[seen].payload);
                    ++seen;
                }
            }
            QCOMPARE(seen, frames.size());
        }
    }

    void textOfAModelNeedNotBeUtf8() {
        Frame frame;
        frame.body = {{"why", "caf\xe9 \xff"}};
        FrameDecoder decoder;
        decoder.feed(stream({&frame}));
        QVERIFY(decoder.next().has_value());
    }

    void whatIsNoWorkerIsShown() {
        FrameDecoder decoder;
        decoder.feed(asBytes("Welcome to host\n"));
        const auto frame = decoder.next();
        QVERIFY(!frame);
        QCOMPARE(frame.error().code, std::string("protocol.not-a-worker"));
        QVERIFY(frame.error().why.find("Welcome to host") != std::string::npos);
    }

    void anotherVersionIsRefused() {
        ByteBuffer bytes = encodePreamble();
        bytes[8] = std::byte{99};
        QCOMPARE(codeOf(bytes), std::string("protocol.version"));
    }

    void damagedHeadersAreRefused_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::newRow("not json") << QByteArray("{");
        QTest::newRow("array") << QByteArray("[]");
        QTest::newRow("no body") << QByteArray(R"({"sequence":1})");
        QTest::newRow("body is text") << QByteArray(R"({"sequence":1,"body":"x"})");
        QTest::newRow("negative sequence") << QByteArray(R"({"sequence":-1,"body":{}})");
        QTest::newRow("payload is text") << QByteArray(R"({"payload":"1","body":{}})");
        QTest::newRow("payload too large") << QByteArray(R"({"payload":18446744073709551615,"body":{}})");
        QTest::newRow("payload is float") << QByteArray(R"({"payload":1e3,"body":{}})");
        QTest::newRow("descriptors that did not come") << QByteArray(R"({"descriptors":1,"body":{}})");
        QTest::newRow("too many descriptors") << QByteArray(R"({"descriptors":4000000000,"body":{}})");
        QTest::newRow("deeply nested") << "{\"body\":" + QByteArray(300'000, '[');
    }
    void damagedHeadersAreRefused() {
        QFETCH(QByteArray, header);
        QCOMPARE(codeOf(withHeader(header.toStdString())), std::string("protocol.damaged"));
    }

    void lengthsOutsideTheirBoundsAreRefused() {
        for (const std::uint32_t length : {0u, kMaxHeaderBytes + 1, 0xffffffffu}) {
            ByteBuffer bytes = encodePreamble();
            for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::byte>(length >> shift & 0xff));
            QCOMPARE(codeOf(bytes), std::string("protocol.damaged"));
        }
        Frame frame;
        frame.body = {{"text", std::string(kMaxHeaderBytes, 'x')}};
        QCOMPARE(encodeFrameHead(frame).error().code, std::string("protocol.frame-too-large"));
    }

    void cutStreamsWaitForMore() {
        Frame frame;
        frame.payload = ByteBuffer(50);
        const ByteBuffer bytes = stream({&frame});
        for (std::size_t length = 0; length < bytes.size(); ++length) {
            QCOMPARE(codeOf(ByteBuffer(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length))), std::string("incomplete"));
        }
        QCOMPARE(codeOf(bytes), std::string("frame"));
    }

    void noiseNeverCrashes() {
        std::mt19937 random(2);
        Frame frame;
        frame.body = {{"tensors", nlohmann::json::array()}};
        const ByteBuffer good = stream({&frame, &frame});
        for (int round = 0; round < 3000; ++round) {
            ByteBuffer bytes = good;
            for (int change = 0; change < 3; ++change)
                bytes[kPreambleBytes + random() % (bytes.size() - kPreambleBytes)] = static_cast<std::byte>(random() & 0xff);
            FrameDecoder decoder;
            decoder.feed(bytes);
            for (auto next = decoder.next(); next && *next; next = decoder.next()) static_cast<void>(receivedTensors(**next));
        }
    }

    void tensorsTravelAsSharedMemoryAndAsPayload_data() {
        QTest::addColumn<bool>("shared");
        QTest::newRow("shared memory") << true;
        QTest::newRow("payload") << false;
    }
    void tensorsTravelAsSharedMemoryAndAsPayload() {
        QFETCH(bool, shared);
        const Tensor matrix = floats({3, 5}, 1);
        Tensor column = matrix;  // the second column: stride 5, offset 1
        column.layout.sizes = {3};
        column.layout.strides = {5};
        column.layout.storageOffset = 1;
        const Tensor scalar = floats({}, 9), nothing = floats({0, 4}, 0);
        Frame frame;
        QVERIFY(attachTensors(frame, {matrix.view(), column.view(), scalar.view(), nothing.view()}, shared).has_value());
        QCOMPARE(frame.descriptors.size(), std::size_t(shared ? 1 : 0));

        std::array<int, 2> ends{};
        QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
        const Descriptor a(ends[0]), b(ends[1]);
        std::vector<int> descriptors;
        for (const Descriptor& descriptor : frame.descriptors) descriptors.push_back(descriptor.get());
        QVERIFY(sendAll(a.get(), stream({&frame}), {}).has_value() || shared);
        FrameDecoder decoder;
        if (shared) {
            // The stream above went without its file: refused. Again with it.
            ByteBuffer buffer(1 << 16);
            auto received = receiveSome(b.get(), buffer);
            QVERIFY(received.has_value());
            decoder.feed(Bytes(buffer).first(received->bytes));
            QVERIFY(!decoder.next());
            decoder = FrameDecoder();
            QVERIFY(sendAll(a.get(), stream({&frame}), descriptors).has_value());
        }
        ByteBuffer buffer(1 << 16);
        auto received = receiveSome(b.get(), buffer);
        QVERIFY(received.has_value());
        decoder.feed(Bytes(buffer).first(received->bytes), std::move(received->descriptors));
        const auto arrived = decoder.next();
        QVERIFY(arrived && *arrived);
        const auto tensors = receivedTensors(**arrived);
        QVERIFY2(tensors.has_value(), tensors ? "" : tensors.error().why.c_str());
        QCOMPARE(tensors->size(), std::size_t(4));
        QVERIFY((*tensors)[0].layout.sizes == matrix.layout.sizes);
        for (std::uint64_t i = 0; i < 15; ++i) QCOMPARE(elementAsDouble((*tensors)[0].view(), i), 1.0 + static_cast<double>(i));
        for (std::uint64_t i = 0; i < 3; ++i) QCOMPARE(elementAsDouble((*tensors)[1].view(), i), 2.0 + 5.0 * static_cast<double>(i));
        QCOMPARE(elementAsDouble((*tensors)[2].view(), 0), 9.0);
        QVERIFY((*tensors)[3].layout.sizes == nothing.layout.sizes);
        for (const Tensor& tensor : *tensors) QCOMPARE(reinterpret_cast<std::uintptr_t>(tensor.storage.data()) % kTensorAlignment, std::uintptr_t(0));
    }

    void writingToReceivedTensorsChangesNothingForOthers() {
        const Tensor tensor = floats({4}, 1);
        Frame frame;
        QVERIFY(attachTensors(frame, {tensor.view()}, true).has_value());
        const auto first = attachedTensors(frame);
        QVERIFY(first.has_value());
        std::memset(first->memory.bytes.data(), 0xff, 16);
        const auto second = receivedTensors(frame);
        QVERIFY(second.has_value());
        QCOMPARE(elementAsDouble((*second)[0].view(), 3), 4.0);
    }

    void memoryThatIsNotSealedOrTooShortIsRefused() {
        const Descriptor open(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
        QCOMPARE(::ftruncate(open.get(), 4096), 0);
        QCOMPARE(mapSealed(open, 4096).error().code, std::string("protocol.damaged"));
        auto memory = MemoryFile::create(100);
        QVERIFY(memory.has_value());
        const auto sealed = std::move(*memory).seal();
        QVERIFY(sealed.has_value());
        QVERIFY(mapSealed(*sealed, 100).has_value());
        QCOMPARE(mapSealed(*sealed, 101).error().code, std::string("protocol.damaged"));
        QCOMPARE(::ftruncate(sealed->get(), 10), -1);
    }

    void listsOfTensorsThatLieAreRefused_data() {
        QTest::addColumn<QByteArray>("entry");
        QTest::newRow("not an object") << QByteArray("3");
        QTest::newRow("unknown dtype") << QByteArray(R"({"dtype":"float33","sizes":[],"strides":[],"offset":0,"bytes":4})");
        QTest::newRow("negative size") << QByteArray(R"({"dtype":"float32","sizes":[-1],"strides":[1],"offset":0,"bytes":4})");
        QTest::newRow("negative stride") << QByteArray(R"({"dtype":"float32","sizes":[2],"strides":[-1],"offset":0,"bytes":8})");
        QTest::newRow("ranks differ") << QByteArray(R"({"dtype":"float32","sizes":[1,1],"strides":[1],"offset":0,"bytes":4})");
        QTest::newRow("larger than its bytes") << QByteArray(R"({"dtype":"float32","sizes":[3],"strides":[1],"offset":0,"bytes":8})");
        QTest::newRow("stride leads out") << QByteArray(R"({"dtype":"float32","sizes":[2],"strides":[100],"offset":0,"bytes":8})");
        QTest::newRow("outside of the memory") << QByteArray(R"({"dtype":"float32","sizes":[],"strides":[],"offset":1024,"bytes":4})");
        QTest::newRow("offset not aligned") << QByteArray(R"({"dtype":"float32","sizes":[],"strides":[],"offset":4,"bytes":4})");
        QTest::newRow("offset overflows") << QByteArray(
            R"({"dtype":"float32","sizes":[],"strides":[],"offset":9223372036854775744,"bytes":9223372036854775807})");
        QTest::newRow("size overflows") << QByteArray(
            R"({"dtype":"float32","sizes":[9223372036854775807,9223372036854775807],"strides":[1,1],"offset":0,"bytes":8})");
        QTest::newRow("size beyond 63 bits") << QByteArray(
            R"({"dtype":"float32","sizes":[18446744073709551615],"strides":[1],"offset":0,"bytes":8})");
    }
    void listsOfTensorsThatLieAreRefused() {
        QFETCH(QByteArray, entry);
        const auto list = nlohmann::json::array({nlohmann::json::parse(entry.toStdString())});
        const auto read = placementFromJson(list, 1024);
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("protocol.damaged"));
    }

    void errorsSurviveTheWay() {
        const Error error{ErrorKind::RunFailed, "run.x", "What.", "Where", "Why.", "Help."};
        const Error back = errorFromJson(errorToJson(error));
        QVERIFY(back.kind == error.kind && back.code == error.code && back.what == error.what && back.where == error.where && back.why == error.why &&
                back.help == error.help);
        QVERIFY(errorFromJson(nlohmann::json(3)).kind == ErrorKind::System);
    }

    void messagesOfModelsLoseTheirFrames() {
        QCOMPARE(modelMessage("input_handles[0]: unmatched dtype\n"), std::string("input_handles[0]: unmatched dtype"));
        QCOMPARE(
            modelMessage("mat1 and mat2 must have the same dtype\nException raised from meta at /x.cpp:1 (most recent call first):\nframe #0: f\n"),
            std::string("mat1 and mat2 must have the same dtype"));
        QCOMPARE(modelMessage("two\nlines"), std::string("two\nlines"));
        QCOMPARE(modelMessage("Exception raised from f at g:1\n"), std::string());
    }
};

QTEST_GUILESS_MAIN(TestProtocol)
#include "tst_protocol.moc"
