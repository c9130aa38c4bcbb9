#include "core/engine/thrown.h"

#include <c10/util/Exception.h>

#include <new>
#include <string_view>
#include <utility>

#include "core/run/model_message.h"

namespace pt2 {

Thrown describe(std::exception_ptr thrown) {
    try {
        std::rethrow_exception(std::move(thrown));
    } catch (const std::bad_alloc&) {
        return {"Memory ran out (std::bad_alloc).", true};
    } catch (const c10::Error& error) {
        const std::string text = modelMessage(error.what_without_backtrace());
        const bool memory = text.find("can't allocate memory") != std::string::npos || text.find("out of memory") != std::string::npos;
        return {text, memory};
    } catch (const std::exception& error) {
        const std::string text = modelMessage(error.what());
        const bool memory = text.find("can't allocate memory") != std::string::npos || text.find("out of memory") != std::string::npos ||
                            text.find("bad_alloc") != std::string::npos;
        return {text, memory};
    } catch (...) {
        return {"It threw something that is not a std::exception.", false};
    }
}

tl::unexpected<Error> runFailed(Thrown thrown, std::string what) {
    if (thrown.outOfMemory) {
        return fail({ErrorKind::RunFailed,
                     "run.memory",
                     "The model ran out of memory.",
                     {},
                     std::move(thrown.text),
                     "Run it with smaller inputs, or allow it more memory."});
    }
    // The checks that AOTInductor compiles into a model name the handle they look at (format.md 4.4).
    const bool refused = thrown.text.rfind("input_handles[", 0) == 0;
    return fail({ErrorKind::RunFailed,
                 "run.model-error",
                 std::move(what),
                 {},
                 std::move(thrown.text),
                 refused ? "The runtime checks of the model refuse this input. Give one that fits, or switch the checks off to compute it unchecked."
                         : "The words above are the model's own. Check that the inputs fit, or compile the program anew for this machine."});
}

tl::unexpected<Error> loadFailed(Thrown thrown) {
    const auto says = [&thrown](std::string_view part) { return thrown.text.find(part) != std::string::npos; };
    if (says("Could not find schema")) {
        return fail({ErrorKind::CannotRun,
                     "run.operator-missing",
                     "The model calls an operator that this LibTorch does not have.",
                     {},
                     std::move(thrown.text),
                     "The operator comes from a library or a Python package that is not loaded here."});
    }
    if (says("cannot enable executable stack")) {
        return fail({ErrorKind::CannotRun,
                     "run.executable-stack",
                     "The system refuses the library because it asks for an executable stack.",
                     {},
                     std::move(thrown.text),
                     {}});
    }
    if (says("Error in dlopen") || says("Error in dlsym") || says("undefined symbol") || says("could not dlsym")) {
        return fail({ErrorKind::CannotRun,
                     "run.library-refused",
                     "The library cannot be loaded into this LibTorch.",
                     {},
                     std::move(thrown.text),
                     "Recompile the program for this machine and this torch."});
    }
    return runFailed(std::move(thrown), "The model raised an error while it was loaded.");
}

}  // namespace pt2
