"""Which faces of a file intersect? usage: check_file.py [FILE...]"""
import sys

import snag

files = sys.argv[1:]
if not files:  # without files: two balls that overlap
    V, F = snag.shapes.icosphere(3, 1.0)
    for name, x in (("left.obj", 0), ("right.obj", 1.9)):
        snag.io.write_obj(name, V + [x, 0, 0], F)
        files.append(name)

answer = snag.check(*files)
print(answer)
for body_a, a, body_b, b in list(answer.names())[:10]:  # numbered as in the file, from 0
    print(f"  {body_a} {a}  {body_b} {b}")
sys.exit(1 if answer else 0)
