"""Examples in docstrings do what they say."""
import doctest
import inspect
import unittest

from support import needs_numpy, numpy

import snag


def documented(thing, name, seen):
    """The thing and what is in it, as far as it is ours."""
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, property):
        thing = thing.fget
    if (inspect.ismodule(thing) or inspect.isclass(thing) or inspect.isfunction(thing)) and thing.__doc__:
        yield name, thing
    if inspect.isclass(thing) or inspect.ismodule(thing):
        for key, value in vars(thing).items():
            if (not key.startswith("_") or key == "__init__") and \
                    (inspect.isclass(thing) or getattr(value, "__module__", getattr(value, "__name__", "")).startswith("snag")):
                yield from documented(value, f"{name}.{key}", seen)


def load_tests(loader, tests, pattern):
    if numpy is None:
        return tests
    parser = doctest.DocTestParser()
    for name, thing in documented(snag, "snag", set()):
        test = parser.get_doctest(inspect.getdoc(thing), {}, name, None, None)
        if test.examples:
            tests.addTest(doctest.DocTestCase(test))
    return tests


@needs_numpy
class Documented(unittest.TestCase):
    def test_everything_public_has_words(self):
        missing = [name for name in snag.__all__ if not inspect.getdoc(getattr(snag, name))]
        for cls in (snag.World, snag.Body, snag.Answer, snag.Sim):
            missing += [f"{cls.__name__}.{k}" for k, v in vars(cls).items()
                        if not k.startswith("_") and (callable(v) or isinstance(v, property)) and not inspect.getdoc(v)]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
