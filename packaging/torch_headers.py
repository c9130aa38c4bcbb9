#!/usr/bin/env python3
"""The C++ headers of releases of torch, without the rest of their wheels: a few MB of the up to 900 of each.

    torch_headers.py VERSION... -o DIR

DIR/VERSION becomes a folder that cmake/FindLibTorch.cmake takes for a LibTorch, good for compiling but not for linking: include/, version.py and
lib/libc10.so, which tells the ABI, are the wheel's own; of the other libraries only the names are there, as empty files.

pip finds the wheel, with its own settings and the arguments in PT2SCOPE_PIP_ARGS; constraints in its settings do not count, since nothing is installed.
The parts of it are fetched over pip's own connection, so certificates, proxies and credentials are those of pip. Needs pip 22.2 or later.
Exit: 0 all are there, 4 the index cannot be reached, 6 anything else.
"""
import argparse
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
import zipfile

MEGABYTE = 1 << 20
MOST_FETCHED = 200 * MEGABYTE  # of one wheel
MOST_WRITTEN = 4 * MOST_FETCHED
TAIL = 2 * MEGABYTE  # holds the directory of a wheel of 13,000 files
GAP = MEGABYTE // 4  # read over rather than asked around


class Trouble(Exception):
    """One sentence for the reader."""

    status = 6


class Unreachable(Trouble):
    status = 4


# --- Which wheel --------------------------------------------------------------------------------------------------------------------------

# A Python that torch has no wheel for gets the one of another: headers are the same. pip wants a target then, although nothing is installed.
OTHER_PYTHON = ["--only-binary=:all:", "--target", os.path.join(os.devnull, "target"), "--python-version"]
FORMS = ([], [*OTHER_PYTHON, "3.11"], [*OTHER_PYTHON, "3.13"])
# What pip and the libraries in it say of a network that is not there.
NO_NETWORK = re.compile(r"connection broken|NewConnectionError|NameResolutionError|Max retries exceeded|ConnectTimeout|ReadTimeout|ProxyError", re.I)


def wheel_address(version, pip_arguments):
    """Where pip would take torch of this version from."""
    # Of a wheel whose index tells no metadata, fast-deps reads a part where pip would otherwise fetch it whole.
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run", "--no-deps", "--ignore-installed",
               "--use-feature=fast-deps", "--retries", "2", "--report", "-", *pip_arguments]
    said = ""
    for form in FORMS:
        # An empty file of constraints stands in for those of the settings.
        run = subprocess.run([*command, *form, "torch==" + version], env={**os.environ, "PIP_CONSTRAINT": os.devnull, "LC_ALL": "C"},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if run.returncode == 0:
            try:
                return json.loads(run.stdout)["install"][0]["download_info"]["url"]
            except (ValueError, LookupError, TypeError):
                raise Trouble(f"pip's report on torch {version} cannot be read.") from None
        said += run.stderr
        if NO_NETWORK.search(said):
            raise Unreachable(f"torch {version}: pip does not reach its index.")
        if "No matching distribution" not in run.stderr:
            break
    errors = [line for line in said.splitlines() if line.startswith("ERROR:")] or said.splitlines()
    if errors and "No matching distribution" in errors[-1]:
        raise Trouble(f"There is no wheel of torch {version} for this kind of machine where pip looks.")
    raise Trouble(f"pip could not find torch {version}: {errors[-1] if errors else 'it said nothing'}")


# --- Parts of a file ----------------------------------------------------------------------------------------------------------------------

def pip_session(pip_arguments):
    """pip's own connection, set up as `pip install` would."""
    try:
        from pip._internal.commands import create_command
        command = create_command("install")
        options, _ = command.parse_args([*pip_arguments, "torch"])
        with command.main_context():
            return command._build_session(options)
    except (ImportError, AttributeError, TypeError) as error:
        import pip
        raise Trouble(f"This pip ({pip.__version__}) does not lend its connection: {error}") from None


class PartialFile(io.RawIOBase):
    """A file at an address, read by ranges; ranges that were loaded are kept, and all that is ever loaded has a limit."""

    def __init__(self, session, address):
        self.session, self.address = session, address
        self.place, self.fetched, self.requests, self.parts = 0, 0, 0, []
        self.size = self._fetch(0, 1)[1]

    def _fetch(self, begin, end):
        if self.fetched + end - begin > MOST_FETCHED:
            raise Trouble(f"More than {MOST_FETCHED // MEGABYTE} MB of it would have to be fetched.")
        # Encodings would change what the range counts, and a cache answers with the whole.
        headers = {"Range": f"bytes={begin}-{end - 1}", "Accept-Encoding": "identity", "Cache-Control": "no-cache"}
        try:
            # The timeout holds for each silence of the server.
            with self.session.get(self.address, headers=headers, stream=True, timeout=60) as answer:
                if answer.status_code == 200:
                    raise Trouble("Its server sends only whole files (no ranges).")
                if answer.status_code != 206:
                    raise Trouble(f"Its server answered {answer.status_code} {answer.reason}.")
                told = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", answer.headers.get("Content-Range", "").strip())
                if not told or (int(told[1]), int(told[2])) != (begin, end - 1):
                    raise Trouble("Its server sent another range than the one asked for.")
                data = bytearray()
                while len(data) < end - begin:
                    piece = answer.raw.read(min(MEGABYTE, end - begin - len(data)))
                    if not piece:
                        raise Trouble("The connection ended in the middle of it.")
                    data += piece
        except Trouble:
            raise
        except Exception as error:  # of requests and urllib3, which pip carries under names of its own
            raise Unreachable(f"Its server cannot be reached ({type(error).__name__}).") from None
        self.fetched += len(data)
        self.requests += 1
        return bytes(data), int(told[3])

    def load(self, begin, end):
        begin, end = max(begin, 0), min(end, self.size)
        if begin < end and not any(start <= begin and end <= start + len(data) for start, data in self.parts):
            self.parts.append((begin, self._fetch(begin, end)[0]))

    def read(self, count=-1):
        end = self.size if count is None or count < 0 else min(self.place + count, self.size)
        if end <= self.place:
            return b""
        self.load(self.place, end)
        start, data = next(p for p in self.parts if p[0] <= self.place and end <= p[0] + len(p[1]))
        found = data[self.place - start:end - start]
        self.place = end
        return found

    def seek(self, offset, whence=os.SEEK_SET):
        self.place = max(0, offset + (0, self.place, self.size)[whence])
        return self.place

    def tell(self):
        return self.place

    def seekable(self):
        return True

    def readable(self):
        return True


# --- Headers of a wheel -------------------------------------------------------------------------------------------------------------------

def is_wanted(name):
    return (name.startswith("torch/include/") and not name.endswith("/")) or name in ("torch/version.py", "torch/lib/libc10.so")


def load_wanted(file, wheel):
    """Neighbours in one request each: the headers lie together, so this makes a handful."""
    members = sorted(wheel.infolist(), key=lambda m: m.header_offset)
    ranges = []
    for member, end in zip(members, [m.header_offset for m in members[1:]] + [wheel.start_dir]):
        if not is_wanted(member.filename):
            continue
        if ranges and member.header_offset - ranges[-1][1] <= GAP:
            ranges[-1][1] = end
        else:
            ranges.append([member.header_offset, end])
    if sum(end - begin for begin, end in ranges) > MOST_FETCHED:
        raise Trouble(f"Its headers take more than {MOST_FETCHED // MEGABYTE} MB.")
    for begin, end in ranges:
        file.load(begin, end)


def write_wanted(wheel, folder):
    """Files under the folder, as they are in torch/; how many headers."""
    wanted = [m for m in wheel.infolist() if is_wanted(m.filename)]
    if sum(m.file_size for m in wanted) > MOST_WRITTEN:
        raise Trouble(f"Its headers take more than {MOST_WRITTEN // MEGABYTE} MB unpacked.")
    made = set()
    for member in wanted:
        parts = member.filename.split("/")[1:]
        if any(part in ("", ".", "..") or "\0" in part for part in parts):
            raise Trouble(f"A file in it has the name {member.filename!r}.")
        path = os.path.join(folder, *parts)
        if os.path.dirname(path) not in made:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            made.add(os.path.dirname(path))
        with wheel.open(member) as source, open(path, "wb") as target:
            shutil.copyfileobj(source, target)
    for member in wheel.infolist():
        name = re.fullmatch(r"torch/lib/(lib\w+\.so)", member.filename)
        if name:
            os.makedirs(os.path.join(folder, "lib"), exist_ok=True)
            open(os.path.join(folder, "lib", name[1]), "ab").close()
    return sum(m.filename.startswith("torch/include/") for m in wanted)


def get_headers(version, folder, pip_arguments):
    place = os.path.join(folder, version)
    if os.path.isdir(place):
        print(f"torch {version}: there already")
        return
    address = wheel_address(version, pip_arguments)
    parts = urllib.parse.urlsplit(address)
    local = parts.scheme == "file"
    if not local and parts.scheme not in ("http", "https"):
        raise Trouble(f"torch {version}: pip would take it from an address of the kind {parts.scheme!r}, which has no ranges.")
    unfinished = place + ".unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        file = open(urllib.request.url2pathname(parts.path), "rb") if local else PartialFile(pip_session(pip_arguments), address)
        with file:
            if not local:
                file.load(file.size - TAIL, file.size)
            with zipfile.ZipFile(file) as wheel:
                if not local:
                    load_wanted(file, wheel)
                count = write_wanted(wheel, unfinished)
            told = "from a file on this machine" if local else f"{file.fetched / MEGABYTE:.1f} of {file.size / MEGABYTE:.0f} MB in {file.requests} requests"
        with open(os.path.join(unfinished, "version.py"), encoding="utf-8") as text:
            full = re.search(r"^__version__ *= *['\"]([^'\"]+)", text.read(), re.M)
        if not full or full[1].split("+")[0] != version or not count:
            raise Trouble("It holds no headers of that version.")
        os.rename(unfinished, place)
    except Trouble as trouble:
        raise type(trouble)(f"torch {version}: the headers in {os.path.basename(parts.path)} could not be had. {trouble}") from None
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise Trouble(f"torch {version}: {os.path.basename(parts.path)} is damaged: {error}") from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    print(f"torch {full[1]}: {count} headers, {told}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("versions", metavar="VERSION", nargs="+", help='a release of torch, "2.13.0"')
    parser.add_argument("-o", metavar="DIR", dest="folder", required=True, help="each becomes a folder in it")
    arguments = parser.parse_args()
    status = 0
    pip_arguments = shlex.split(os.environ.get("PT2SCOPE_PIP_ARGS", ""))
    for version in arguments.versions:
        try:
            if not re.fullmatch(r"\d+(\.\d+)+((a|b|rc|post|\.dev)\d+)*", version):
                raise Trouble(f"{version!r} is no release of torch; they are written as 2.13.0.")
            os.makedirs(arguments.folder, exist_ok=True)
            get_headers(version, arguments.folder, pip_arguments)
        except (Trouble, OSError) as trouble:
            print(f"Error: {trouble}", file=sys.stderr, flush=True)
            status = max(status, getattr(trouble, "status", 6))
        sys.stdout.flush()
    return status


if __name__ == "__main__":
    sys.exit(main())
