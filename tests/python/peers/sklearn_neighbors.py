#!/usr/bin/env python3
"""Runs scikit-learn's checks of estimators, and its tests of neighbours and of DBSCAN as installed, on the estimators of
kann.sklearn.

Usage: sklearn_neighbors.py [OPTION OF PYTEST…]"""

import sys

import kann.sklearn
import pytest
import sklearn.cluster
import sklearn.neighbors
from sklearn.utils.estimator_checks import check_estimator

for name in kann.sklearn.__all__:
    estimator = getattr(kann.sklearn, name)
    failed = [check["check_name"] for check in check_estimator(estimator(), on_fail=None) if check["status"] == "failed"]
    print(f"{name}: {len(failed)} checks failed {failed or ''}")
    setattr(sklearn.cluster if name == "DBSCAN" else sklearn.neighbors, name, estimator)
suites = ("neighbors.tests.test_neighbors", "neighbors.tests.test_neighbors_pipeline", "neighbors.tests.test_lof", "cluster.tests.test_dbscan")
sys.exit(pytest.main(["--pyargs", *(f"sklearn.{suite}" for suite in suites), "-q", "--tb=short", "-p", "no:cacheprovider", "-W", "ignore", *sys.argv[1:]]))
