#!/usr/bin/env python3
"""Runs the tests that scipy has of interpolation among scattered points, as installed, with kann.KDTree as its tree. Points of
more than three coordinates go to the tree of scipy.

Usage: scipy_interpolate.py [OPTION OF PYTEST…]"""

import sys

import kann
import numpy
import pytest
import scipy.interpolate
import scipy.spatial


def tree_of(points, **options):
    return (kann.KDTree if numpy.shape(points)[1] <= 3 else scipy.spatial.KDTree)(points, **options)


scipy.interpolate._ndgriddata.cKDTree = scipy.interpolate._rbfinterp.KDTree = tree_of
sys.exit(pytest.main(["--pyargs", "scipy.interpolate.tests.test_ndgriddata", "scipy.interpolate.tests.test_rbfinterp", "-q", "--tb=short",
                      "-p", "no:cacheprovider", "-W", "ignore", *sys.argv[1:]]))
