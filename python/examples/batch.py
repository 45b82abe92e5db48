"""Checks many files on all cores. usage: batch.py [FILE...]      without files it makes a thousand small ones"""
import multiprocessing
import sys

import snag


def look(path):
    try:
        answer = snag.check(path, threads=1)  # a process for each core: each with one thread
        return path, len(answer), answer.complete
    except snag.Error as error:  # a damaged file is a line in the list, not the end
        return path, str(error), False


def main():
    files = sys.argv[1:]
    if not files:
        V, F = snag.shapes.icosphere(2, 1.0)
        for k in range(1000):
            files.append(f"ball_{k:04d}.ply")
            X = V.copy()
            X[k % len(V)] *= -1.5 if k % 10 == 0 else 1  # one in ten has a spike through its other side
            snag.io.write_ply(files[-1], X, F)
    # Worlds cannot be pickled: each process makes its own, and sends back numbers.
    with multiprocessing.get_context("spawn").Pool() as pool:
        bad = [(path, count) for path, count, complete in pool.imap(look, files, chunksize=16) if count or not complete]
    for path, count in bad[:5]:
        print(path, count)
    print(f"{len(bad)} of {len(files)} files have contacts or could not be read")


if __name__ == "__main__":
    main()
