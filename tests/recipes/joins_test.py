"""docs/guide/joins.md: the tables of the example are those that the page shows."""

import recipe

EXAMPLE, JOINED, ALONE = recipe.blocks("../guide/joins.md", "sh text text")


class Joins(recipe.RecipeTest):
    def test_tables(self):
        output, messages = self.run_block(EXAMPLE)
        self.assertEqual(output, "joined.csv\nalone.csv\n")
        self.assertNotIn("warning", messages)
        self.assertEqual((self.folder / "joined.csv").read_text(), JOINED)
        self.assertEqual((self.folder / "alone.csv").read_text(), ALONE)


if __name__ == "__main__":
    recipe.main()
