#!/usr/bin/env python3
"""Runs the tests that matscipy has of its neighbour lists with kann.neighbor_list() in the place of its function. They are not
installed: FILE is tests/test_neighbours.py of its sources, beside which they find their data.

Usage: matscipy_neighbours.py FILE [OPTION OF PYTEST…]"""

import os
import sys

import kann
import matscipy.neighbours
import pytest


def neighbour_list(quantities, atoms=None, cutoff=None, positions=None, cell=None, pbc=None, numbers=None, cell_origin=None):
    return kann.neighbor_list(quantities, atoms, cutoff, positions=positions, cell=cell, pbc=pbc, numbers=numbers)


matscipy.neighbours.neighbour_list = neighbour_list
os.chdir(os.path.dirname(os.path.abspath(sys.argv[1])))
sys.exit(pytest.main([os.path.basename(sys.argv[1]), "-q", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore", *sys.argv[2:]]))
