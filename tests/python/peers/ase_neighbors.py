#!/usr/bin/env python3
"""Runs the tests that ASE has of its neighbour lists, as installed, with kann.neighbor_list() in the place of the function that
its lists are made of.

Usage: ase_neighbors.py [OPTION OF PYTEST…]"""

import sys

import ase.neighborlist
import kann
import pytest


def primitive(quantities, pbc, cell, positions, cutoff, numbers=None, self_interaction=False, use_scaled_positions=False, max_nbins=None):
    places = positions @ cell if use_scaled_positions else positions
    return kann.neighbor_list(quantities, cutoff=cutoff, self_interaction=self_interaction, positions=places, cell=cell, pbc=pbc, numbers=numbers)


ase.neighborlist.primitive_neighbor_list = primitive
ase.neighborlist.neighbor_list = lambda quantities, a, cutoff, self_interaction=False: kann.neighbor_list(quantities, a, cutoff, self_interaction)
sys.exit(pytest.main(["--pyargs", "ase.test.neighbor", "-q", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore", *sys.argv[1:]]))
