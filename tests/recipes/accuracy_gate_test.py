"""docs/recipes/accuracy-gate.md and its workflow: the steps that need no network are run as GitHub would, with options
that are good and ones that cost accuracy. The build is not run here; what it names must be in the project."""

import json
import re

import recipe
from recipe import brute_force, numpy, scene

OPTIONS, STORE, GATE, EXACT = recipe.blocks("accuracy-gate.md", "toml sh sh sh")
ROOT = recipe.PAGES.parents[1]
WORKFLOW = (recipe.PAGES / "accuracy-gate.yml").read_text(encoding="utf-8")


def named_steps(workflow):
    """Name → what it runs, of the steps with both; either on one line or, after `run: |`, on deeper ones."""
    steps = {}
    for step in re.split(r"^      - ", workflow, flags=re.MULTILINE)[1:]:
        name, run = re.match(r"name: (.*)\n", step), re.search(r"^        run: (.*(?:\n {10}.*)*)", step, re.MULTILINE)
        if name and run:
            steps[name[1]] = re.sub(r"^ {10}", "", run[1].removeprefix("|\n"), flags=re.MULTILINE) + "\n"
    return steps


STEPS = named_steps(WORKFLOW)
CHECK, CHECK_EXACT, SHOW = "Check the recall", "Check the exact rows", "Show the figures"
SHIFTED = 'method = "shifted-sort"\n'
NARROW = SHIFTED + "k = 8\nwindow = 12\n"  # misses a few neighbours of these clouds


class GateCase(recipe.RecipeTest):
    def setUp(self):
        super().setUp()
        self.map, self.scan = scene(1, 3000), scene(2, 1000)
        self.write("accuracy/search.toml", OPTIONS)
        self.write_ply("accuracy/map.ply", self.map)
        self.write_ply("accuracy/scan.ply", self.scan)
        self.run_block(STORE)

    def gate(self, exit_code):
        """Its report."""
        self.run_block(STEPS[CHECK], exit_code=exit_code)
        return json.loads((self.folder / "gate.json").read_text())


class AccuracyGate(GateCase):
    def test_the_steps(self):
        self.assertEqual(list(STEPS), ["Build kann", "Put kann on the path", CHECK, CHECK_EXACT, SHOW])
        self.assertEqual([STEPS[CHECK], STEPS[CHECK_EXACT]], [GATE, EXACT], "the page and the workflow differ")

    def test_the_build_names_what_there_is(self):
        self.assertIn("KANN_PRESET=cpu kann/scripts/kann ", STEPS["Build kann"])
        self.assertIn("cmake --install kann/build/cpu ", STEPS["Build kann"])
        self.assertTrue((ROOT / "scripts" / "kann").exists())
        self.assertIn('"name": "cpu"', (ROOT / "CMakePresets.json").read_text())

    def test_the_path_is_that_of_the_installation(self):
        self.environment |= {"HOME": "/home/runner", "GITHUB_PATH": str(self.folder / "path")}
        self.run_block(STEPS["Put kann on the path"])
        self.assertEqual((self.folder / "path").read_text(), "/home/runner/kann/bin\n")

    def test_the_accepted_result_is_that_of_brute_force(self):
        self.assert_result("accuracy/accepted.npz", brute_force(self.map, self.scan, 8))

    def test_good_options_pass(self):
        report = self.gate(0)
        self.assertNotIn("error", report)
        self.assertEqual((report["method"], report["window"]), ("shifted-sort", 64))

    def test_the_recall_is_that_by_brute_force(self):
        self.write("accuracy/search.toml", NARROW)
        report = self.gate(0)
        # The recall by brute force of what was written.
        exact = brute_force(self.map, self.scan, 8)[1]
        ids = numpy.load(self.folder / "gate.knn.npz")["ids"]
        found = numpy.sqrt(((self.map[ids].astype("f8") - self.scan[:, None]) ** 2).sum(2))
        recall = (found <= exact[:, -1:] * (1 + 1e-12)).mean()
        self.assertGreaterEqual(recall, 0.97)
        self.assertLess(recall, 1, "the shifted sort was judged, and not the exact search")
        for check in "verify", "compare":
            self.assertAlmostEqual(report[check]["recall"], recall, 12)
            self.assertEqual(report[check]["queries"], len(self.scan))

    def test_options_that_cost_accuracy_fail(self):
        self.write("accuracy/search.toml", SHIFTED + "k = 8\nshifts = 1\nwindow = 8\n")
        report = self.gate(1)
        self.assertEqual(report["error"]["kind"], "check_failed")
        self.assertLess(report["verify"]["recall"], 0.97)
        self.assertLess(report["compare"]["recall"], 0.97)
        self.assertIn("A check has failed</span>: " + report["error"]["message"], (self.folder / "gate.html").read_text())

    def test_a_configuration_that_loses_its_method_is_judged_by_it(self):
        self.write("accuracy/search.toml", "window = 12\n")
        report = self.gate(0)
        self.assertEqual((report["method"], report["window"], report["k"]), ("shifted-sort", 12, 8))
        self.assertLess(report["verify"]["recall"], 1)

    def test_an_exact_search_has_the_rows_of_brute_force(self):
        self.run_block(STEPS[CHECK_EXACT])
        self.assert_result("exact.knn.npz", brute_force(self.map, self.scan, 8))
        report = json.loads((self.folder / "exact.json").read_text())
        self.assertEqual((report["method"], report["verify"]["identical_rows"]), ("exact", len(self.scan)))

    def test_an_exact_check_stays_one(self):
        self.write("accuracy/search.toml", OPTIONS + "radius = 1e-6\nperiodic = [1e6, 1e6, 1e6]\ninvalid = 'skip'\n")
        self.run_block(EXACT.replace(" -k 8", " -k 8 --config accuracy/search.toml"))
        self.assert_result("exact.knn.npz", brute_force(self.map, self.scan, 8))
        self.assertEqual(json.loads((self.folder / "exact.json").read_text())["method"], "exact")

    def test_a_search_cannot_be_made_easier(self):
        for options in ("k = 1", "k = 9", "radius = 1e-6", "radius = 1e6", "periodic = [1e6, 1e6, 1e6]", "verify = 1",
                        "min-recall = 0", 'compare = "none.npz"', 'invalid = "skip"'):
            with self.subTest(options=options):
                self.write("accuracy/search.toml", SHIFTED + options + "\n")
                report = self.gate(0)
                self.assertEqual((report["k"], report["radius"], report["periodic"]), (8, None, None))
                for check in "verify", "compare":
                    self.assertEqual(report[check]["queries"], len(self.scan))
        self.write("accuracy/search.toml", SHIFTED + 'columns = ["x", "y"]\n')
        self.run_block(STEPS[CHECK], exit_code=3)

    def test_no_query_is_left_out(self):
        scan = self.scan.copy()
        scan[20:] = numpy.nan
        self.write_ply("accuracy/scan.ply", scan)
        self.write("accuracy/search.toml", OPTIONS + 'invalid = "skip"\n')
        self.assertEqual(self.gate(3)["error"]["kind"], "bad_input")

    def test_a_map_with_fewer_points_fails(self):
        self.write_ply("accuracy/map.ply", self.map[:1000])
        self.assertEqual(self.gate(3)["error"]["kind"], "bad_input")

    def test_a_scan_with_another_number_of_points_fails(self):
        self.write_ply("accuracy/scan.ply", self.scan[1:])
        self.assertEqual(self.gate(3)["error"]["kind"], "bad_input")


class AccuracyGateJq(GateCase):
    def setUp(self):
        self.needs("jq")
        super().setUp()
        self.environment["GITHUB_STEP_SUMMARY"] = str(self.folder / "summary.md")

    def summary(self):
        self.run_block(STEPS[SHOW])
        return (self.folder / "summary.md").read_text()

    def test_the_same_clouds_pass(self):
        self.write("accuracy/search.toml", NARROW)
        report = self.gate(0)
        self.assertEqual(self.summary(), f"method: shifted-sort\n\nrecall by nanoflann: {report['verify']['recall']}\n\n"
                                         f"recall by the accepted result: {report['compare']['recall']}\n\n")

    def test_a_map_that_has_changed_fails(self):
        self.write_ply("accuracy/map.ply", numpy.random.default_rng(3).permutation(self.map))
        self.assertIn("the result of a search with other data: as many points", self.gate(3)["error"]["message"])
        self.write_ply("accuracy/map.ply", numpy.concatenate([self.map, scene(4, 1000)]))
        self.assertIn("the result of a search with other data", self.gate(3)["error"]["message"])

    def test_the_summary_says_why_the_gate_failed(self):
        self.write("accuracy/search.toml", SHIFTED + "k = 8\nshifts = 1\nwindow = 8\n")
        message = self.gate(1)["error"]["message"]
        self.assertIn(message, self.summary())
        self.assertIn("below --min-recall 0.97", message)


class AccuracyGateYaml(recipe.RecipeTest):
    def test_the_steps_are_those_that_yaml_says(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("Python has no yaml (python3-yaml)")
        steps = yaml.safe_load(WORKFLOW)["jobs"]["accuracy"]["steps"]
        runs = {step["name"]: step["run"].rstrip("\n") + "\n" for step in steps if "name" in step and "run" in step}
        self.assertEqual(STEPS, runs)


if __name__ == "__main__":
    recipe.main()
