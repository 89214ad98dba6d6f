"""Which cases of a long loop are run, as part.hpp says: one of four by the number TEST_PART, or all with
TEST_THOROUGH."""

import os
import random

EVERY = 4


def part_of(cases):
    """The cases that are run, in their order: one of every four that follow each other."""
    part = int(os.environ.get("TEST_PART", "0"))
    chosen = random.Random(part // EVERY)
    cases = list(cases)
    if int(os.environ.get("TEST_THOROUGH", "0")):
        return cases
    return [cases[i] for start in range(0, len(cases), EVERY) if (i := start + (chosen.randrange(EVERY) + part) % EVERY) < len(cases)]
