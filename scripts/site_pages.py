"""What the site of the documentation (mkdocs.yml) makes of other files, so that no text is there twice: its first page is
README.md, the options are what the program prints, and the references are the comments of the public headers and of the
Python module. mkdocs takes this file as a hook, mkdocs-gen-files as a script, and mkdocstrings as an extension."""

import os
import pathlib
import re
import subprocess

import griffe
import mkdocs_gen_files

ROOT = pathlib.Path(__file__).resolve().parents[1]
MADE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
LINK = re.compile(r"(?<!!)\[([^\[\]]*)\]\(([^)\s]+)\)|(src)=\"([^\"]+)\"")
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)


def header_page(path):
    """The comments of a public header as text, each before the code that it is about."""
    text = re.sub(r"^#(pragma|include).*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    head, _, body = text.partition("namespace kann")
    page = f"## kann/{path.name}\n\n" + re.sub(r"^// ?", "", head, flags=re.MULTILINE) + "\n"
    for block in re.split(r"\n{2,}(?=\S)", body.partition("{\n")[2].rpartition("}  // namespace")[0].strip("\n")):
        lines = block.splitlines()
        count = next((i for i, line in enumerate(lines) if not line.startswith("///")), len(lines))
        said = "\n".join(re.sub(r"^/// ?", "", line) for line in lines[:count])
        said = re.sub(r"@(param|return|throws|pre)\b ?(\w*)", r"\n\n*\1* `\2`", said).replace(" ``", "").replace("<", "&lt;")
        page += said + "\n\n```cpp\n" + "\n".join(lines[count:]) + "\n```\n\n" if lines[count:] else said + "\n\n"
    return page


def write(name, text):
    with mkdocs_gen_files.open(name, "w") as file:
        file.write(text)


def on_page_markdown(markdown, page, **_):
    """Leads links to what the site has of other files, and takes those away that lead out of it."""
    sources = {new: old for old, new in MADE.items()}
    here = pathlib.PurePosixPath(sources.get(page.file.src_uri, "docs/" + page.file.src_uri))

    def mended(match):
        text, target = match[1], match[2] or match[4]
        if re.match(r"\w+:|#", target):
            return match[0]
        path, hash_sign, anchor = target.partition("#")
        there = os.path.normpath(here.parent / path)
        if there not in MADE and not there.startswith("docs/"):
            return match[0] if match[3] else text
        site = MADE.get(there, there.removeprefix("docs/"))
        link = os.path.relpath(site, pathlib.PurePosixPath(page.file.src_uri).parent) + hash_sign + anchor
        return f'src="{link}"' if match[3] else f"[{text}]({link})"

    parts = CODE.split(markdown)  # every other is a block of code, which stays as it is
    return "".join(part if i % 2 else LINK.sub(mended, part) for i, part in enumerate(parts))


class Parameters(griffe.Extension):
    """Makes items of a list of the parameters in docstrings, which are lines of `name: what it is`."""

    def on_object(self, *, obj, **_):
        if obj.docstring:
            obj.docstring.value = re.sub(r"^(?=[a-z_][\w, ]*: )", "- ", obj.docstring.value, flags=re.MULTILINE)


if __name__ == "<run_path>":
    for old, new in MADE.items():
        write(new, (ROOT / old).read_text("utf-8"))
    options = subprocess.run([os.environ["KANN"], "--generate", "markdown"], check=True, capture_output=True, text=True)
    write("reference/options.md", options.stdout)
    write("site.css", ".md-grid { max-width: 80rem }\n")  # lines of code have up to 100 characters
    write("reference/python.md", "# The Python module\n\n::: kann\n")
    headers = sorted((ROOT / "include" / "kann").glob("*.hpp"))
    write("reference/cpp.md", "# The C++ library\n\n" + "".join(map(header_page, headers)))
