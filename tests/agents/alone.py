"""No network but loopback, so that an agent under test can reach its scripted model and nothing else."""

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys

MARK = "HANDOFF_TEST_ALONE"
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1


def go_alone():
    """Starts this program again in a network namespace of its own; False where the system allows none."""
    if os.environ.get(MARK):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            request = struct.pack("16sH14s", b"lo", 0, b"")
            name, flags, rest = struct.unpack("16sH14s", fcntl.ioctl(control, GET_FLAGS, request))
            fcntl.ioctl(control, SET_FLAGS, struct.pack("16sH14s", name, flags | UP, rest))
        return True
    for way in (["-n"], ["-rn"]):
        if (
            shutil.which("unshare")
            and subprocess.run(["unshare", *way, "true"], capture_output=True, check=False).returncode == 0
        ):
            os.execvpe("unshare", ["unshare", *way, sys.executable, *sys.argv], {**os.environ, MARK: "1"})
    return False
