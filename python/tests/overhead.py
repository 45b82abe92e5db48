"""What a call costs beyond C: the same calls by the package and by ctypes alone, on a mesh so small that C hardly takes time, and on
one of 10,000 triangles. usage: overhead.py"""
import ctypes
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import snag  # noqa: E402
from snag import _arrays  # noqa: E402
from snag._native import lib  # noqa: E402


def microseconds(call, count):
    best = float("inf")
    for _ in range(9):
        began = time.thread_time()  # of the processor: others may be busy
        for _ in range(count):
            call()
        best = min(best, (time.thread_time() - began) / count)
    return 1e6 * best


def measure(columns, rows, count):
    """Overheads of an ask, of an ask with four arrays, and of a move."""
    V, F = snag.shapes.sheet(columns, rows, 1, 1)
    world = snag.World(threads=1)
    body = world.add(V, F)
    distance = 1e-4
    ask = lib.snag_default_question_def(snag.Question.PROXIMITIES)
    ask.distance = distance
    answer, positions = ctypes.c_void_p(), _arrays.positions(V)[0]

    def with_arrays():
        hits = world.proximities(distance)
        hits.a, hits.b, hits.distance, hits.normal

    def move():
        body.positions = V

    raw_ask = microseconds(lambda: lib.snag_world_ask(world._handle, ctypes.byref(ask), ctypes.byref(answer)), count)
    raw_move = microseconds(lambda: lib.snag_world_move(world._handle, body._id, positions), count)
    return (len(F), raw_ask, microseconds(lambda: world.proximities(distance), count) - raw_ask,
            microseconds(with_arrays, count) - raw_ask, raw_move, microseconds(move, count) - raw_move)


if __name__ == "__main__":
    print("triangles   ask in C   + Python   + 4 arrays   move in C   + Python   (microseconds)")
    for columns, rows, count in ((1, 1, 2000), (71, 71, 50)):
        print("{:9} {:10.1f} {:10.1f} {:12.1f} {:11.1f} {:10.1f}".format(*measure(columns, rows, count)))
