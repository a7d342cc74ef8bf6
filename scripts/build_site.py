#!/usr/bin/env python3
"""Builds the documentation site from docs/: pages as they are, and pages made of the schema, of --help, of docstrings and of runs.

usage: build_site.py BUILD SITE [--no-pictures]

BUILD is a build folder with bin/kane and python/kane; SITE is written. The API reference of C++ is linked if it is in SITE/cpp
or can be made (doxygen). Needs mkdocs. Fails if a link leads nowhere.
"""

import html
import html.parser
import importlib
import inspect
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GALLERY = ["double_pendulum", "slider_crank", "fourbar", "rolling_disk_3d", "planar2r", "spinning_top", "geneva",
           "dominoes", "newtons_cradle", "bricard", "gripper", "flexible_arm", "billiard_ball"]
LEARN = ["course.md", "kanes-method.md", "python.md", "python-sympy.md"]
HOW_TO = ["simulation.md", "analysis.md", "forces.md", "contact.md", "flexible.md", "haptics.md", "haptics-link.md", "piano-action.md", "sweeps.md", "export.md", "page.md", "workbench.md", "protocol.md", "fmu.md", "urdf.md", "mjcf.md", "dxf.md",
          "autolev.md", "sdfast.md", "fortytwo.md"]
THEORY = ["theory.md", "formulations.md", "expressions.md", "programs.md", "architecture.md", "systems/README.md"]
REFERENCE = ["model-file.md", "joints.md", "commands.md"]
NOT_PAGES = {"README.md", "api.md"}


# ---- pages as they are -------------------------------------------------------------------------------------------------

class Stage:
    """The folder that mkdocs reads."""

    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.sources = set()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy_docs(self):
        for file in sorted((ROOT / "docs").rglob("*")):
            name = file.relative_to(ROOT / "docs").as_posix()
            if file.is_dir() or name in NOT_PAGES or name.startswith("site/") or name in ("Doxyfile", "api.dox"):
                continue
            if file.suffix == ".md":
                self.write(name, with_tabs(self.with_links(file.read_text(encoding="utf-8"), file)))
            else:
                (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, self.folder / name)

    def with_links(self, text, file):
        """Links that leave docs/ lead to pages that show the file."""
        def replace(match):
            target, _, anchor = match[2].partition("#")
            if not target or ":" in target:
                return match[0]
            path = (file.parent / target).resolve()
            if match[1] == f"[{target}]" and path.suffix == ".md" and path.is_file():  # readers of a site know titles, not files
                title = re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.M)
                if title and path.is_relative_to(ROOT / "docs") and path.name not in NOT_PAGES:
                    return f"[{title[1]}]({match[2]})"
            if path == ROOT / "docs" / "README.md" or path == ROOT / "README.md":
                return f"{match[1]}({up(file)}index.md)"
            if path.is_relative_to(ROOT / "docs") or not path.exists():
                return match[0]
            self.sources.add(path)
            return f"{match[1]}({up(file)}{source_page(path)})"
        return re.sub(r"(\[[^\]\n]*\])\(([^)\s]+)\)", replace, text)

    def write_sources(self):
        done = set()
        while self.sources - done:
            path = sorted(self.sources - done)[0]
            done.add(path)
            name = path.relative_to(ROOT).as_posix()
            if path.is_dir():
                text = f"# {name}\n\n" + "\n".join(f"- {p.name}" for p in sorted(path.iterdir()) if p.is_file()) + "\n"
            elif path.suffix == ".md":
                text = re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", path.read_text(encoding="utf-8"))
            else:
                words = {".yaml": "yaml", ".cpp": "cpp", ".py": "python", ".xml": "xml"}.get(path.suffix, "text")
                text = f"# {name}\n\n~~~{words}\n{path.read_text(encoding='utf-8', errors='replace')}\n~~~\n"
            self.write(source_page(path), text)


def with_tabs(text):
    """The three forms of a lesson stand side by side: one is seen at a time."""
    block = r"<!-- file: examples/{}\.{} -->\n(```{}\n.*?^```)\n"
    forms = (block.format(r"(?P<name>\d\d_\w+)", "cpp", "cpp") + r"\nThe same in Python:\n\n" + block.format("(?P=name)", "py", "python")
             + r"\n(?P<how>As a model file[^\n]*)\n\n" + block.format("(?P=name)", "yaml", "yaml"))
    pattern = re.compile(forms, re.S | re.M)

    def code(block, language):
        return f'<pre><code class="language-{language}">{html.escape(block.split(chr(10), 1)[1].rsplit(chr(10), 1)[0])}</code></pre>'

    def tabs(match):
        name, cpp, python, how, file = match.group("name", 2, 3, "how", 5)
        words = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(how, quote=False))
        parts = ['<div class="tabs">']
        for k, (title, content) in enumerate((("File", f"<p>{words}</p>{code(file, 'yaml')}"), ("C++", code(cpp, "cpp")),
                                              ("Python", code(python, "python")))):
            place = f"{name}-{k}"
            parts.append(f'<input type="radio" name="{name}" id="{place}"{" checked" if k == 1 else ""}>'
                         f'<label for="{place}">{title}</label><div class="tab">{content}</div>')
        return "".join(parts) + "</div>\n"
    return pattern.sub(tabs, text)


def up(file):
    depth = len(file.relative_to(ROOT / "docs").parts) - 1 if file.is_relative_to(ROOT / "docs") else 0
    return "../" * depth


def source_page(path):
    name = path.relative_to(ROOT).as_posix()
    return f"source/{name.removesuffix('.md').replace('.', '_')}.md"


# ---- pages that are made ---------------------------------------------------------------------------------------------------

def cell(text):
    return " ".join(str(text).split()).replace("|", "\\|")


def schema_rows(schema):
    for key, value in schema.get("properties", {}).items():
        words = value.get("description", "")
        reference = value.get("$ref") or next((p["$ref"] for p in value.get("allOf", []) if "$ref" in p), "")
        kind = reference.rsplit("/", 1)[-1] or value.get("type", "")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        if "enum" in value:
            kind = ", ".join(map(str, value["enum"]))
        yield key, kind, words


def keys_page():
    schema = json.loads((ROOT / "schema" / "kane.schema.json").read_text())
    definitions = schema.get("definitions", schema.get("$defs", {}))
    parts = ["# Keys of the model file\n\nMade from `schema/kane.schema.json`; [model-file.md](../model-file.md) explains them with examples.\n"]

    def table(title, rows):
        rows = list(rows)
        if rows:
            parts.append(f"\n## {title}\n\n| key | value | meaning |\n|---|---|---|\n" +
                         "".join(f"| `{k}` | {cell(t)} | {cell(w)} |\n" for k, t, w in rows))
    table("Sections", schema_rows(schema))
    for key, value in schema["properties"].items():
        inner = value.get("additionalProperties")
        for one in [value, inner if isinstance(inner, dict) else {}, *(inner.get("anyOf", []) if isinstance(inner, dict) else [])]:
            if one is not value and "properties" in one or key in ("simulate", "equations") and one is value:
                table(f"An entry of `{key}`" if one is not value else f"`{key}`", schema_rows(one))
                break
    for name, value in definitions.items():
        table(f"A {name}", schema_rows(value))
    return "".join(parts)


def help_page(command):
    def text(*words):
        return subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True).stdout
    first = text()
    parts = ["# Options of the command\n\nWhat `--help` prints. [commands.md](../commands.md) explains what each of them does.\n"]
    parts.append(f"\n## kane\n\n```\n{first}```\n")
    for name in re.findall(r"^  (\w+)  ", first.split("Subcommands:")[1], re.M):
        parts.append(f"\n## kane {name}\n\n```\n{text(name)}```\n")
    return "".join(parts)


def signature(thing):
    """As a reader wants it: without quotes of annotations, and without self."""
    try:
        text = str(inspect.signature(thing)).replace("kane.", "")
    except (TypeError, ValueError):
        return "(...)"
    text = re.sub(r"(: |-> )(['\"])((?:(?!\2).|\2(?=[\]\w]))*?)\2(?=[,)=\s]|$)", r"\1\3", text).replace('"', "").replace(": Any", "")
    text = re.sub(r"(?<!= )'([A-Z]\w*)'", r"\1", text)
    return re.sub(r"^\(self(, )?", "(", text).removesuffix(" -> None").removesuffix(" -> Any")


def docstring(thing):
    """With the examples as code."""
    text = inspect.getdoc(thing) or ""
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text).replace("``", "`")
    lines, result, inside = text.splitlines(), [], False
    for line in [*lines, ""]:
        if line.startswith(">>>") and not inside:
            result += ["", "```python"]
            inside = True
        if inside and not line.strip():
            result += ["```", ""]
            inside = False
        result.append(line)
    return "\n".join(result).strip()


def python_page():
    parts = ["# Python reference\n\nMade from docstrings; there is an [introduction](../python.md), and a page for [those who know SymPy](../python-sympy.md).\n"]
    for name in ("kane.model", "kane.simulation", "kane.ticks", "kane.function", "kane.results", "kane.mechanism", "kane.mechanics", "kane.energy", "kane.vectors",
                 "kane.matrices",
                 "kane.expr", "kane.sympy_bridge", "kane.numeric", "kane.errors"):
        module = importlib.import_module(name)
        parts.append(f"\n## {name}\n\n{docstring(module)}\n")
        for key in module.__all__:
            thing = getattr(module, key)
            if getattr(thing, "__module__", name) not in (name, "kane._kane") or key == "pi":
                continue
            parts.append(f"\n### {key}\n\n`{key}{signature(thing)}`\n\n{docstring(thing)}\n")
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    if member.startswith("_") or not (inspect.getdoc(value) or "").strip():
                        continue
                    if callable(value) or isinstance(value, (property, staticmethod)):
                        shown = "" if isinstance(value, property) else signature(value)
                        parts.append(f"\n- `{member}{shown}`: {' '.join(docstring(value).split())}\n"
                                     if "```" not in docstring(value) else
                                     f"\n- `{member}{shown}`: {' '.join(docstring(value).split('```')[0].split())}\n")
    return "".join(parts)


def moving_picture(kane, name, folder, until):
    """Frames of a run as one picture that moves by itself. The pictures are drawn by Kane."""
    model = kane.load(kane.example(name))
    frames = folder / "frames" / name
    shutil.rmtree(frames, ignore_errors=True)
    frames.parent.mkdir(parents=True, exist_ok=True)
    model.simulate(until, frames=str(frames), check=False)
    files = sorted(frames.glob("*.svg"))[::2]
    most = max(12, min(60, int(1.2e6 / files[0].stat().st_size)))  # a page should not take long to load
    files = files[:60] if most == 60 else files[::-(-len(files) // most)]
    head, shown = "", []
    for file in files:
        head, body = re.match(r"(<svg[^>]*>)(.*)</svg>", file.read_text(), re.S).groups()
        shown.append(re.sub(r"(\d+\.\d)\d+", r"\1", body))
    n = len(shown)
    seconds = until if n < 48 else n * 0.08
    picture = [head]
    for k, body in enumerate(shown):
        times = f"0;{k / n:.4f};{(k + 1) / n:.4f}"
        values = "none;inline;none"
        if k == 0:
            times, values = f"0;{1 / n:.4f}", "inline;none"
        picture.append(f'<g display="{"inline" if k == 0 else "none"}"><animate attributeName="display" values="{values}" keyTimes="{times}" '
                       f'dur="{seconds:.2f}s" calcMode="discrete" repeatCount="indefinite"/>{body}</g>')
    shutil.rmtree(frames)
    (folder / "pictures").mkdir(exist_ok=True)
    (folder / "pictures" / f"{name}.svg").write_text("".join(picture) + "</svg>")


def gallery_page(kane, stage, names):
    figures = []
    for name in names:
        about = kane.load(kane.example(name)).info()["description"]
        stage.sources.add(ROOT / "models" / f"{name}.yaml")
        figures.append(f'<figure><img class="moving" src="pictures/{name}.svg" alt="{name}, moving">'
                       f'<figcaption><a href="source/models/{name}_yaml.html">{name}</a>: {about}</figcaption></figure>')
    return ("# Gallery\n\nRuns of the example models, drawn by Kane itself (`kane simulate MODEL --frames FOLDER`).\n\n"
            f'<div class="gallery">{"".join(figures)}</div>\n')


def first_page(moving):
    picture = '<img class="moving" src="pictures/double_pendulum.svg" alt="A double pendulum swings">\n' if moving else ""
    return f"""# Kane

{picture}
Multibody dynamics by Kane's method. Describe a mechanism in a file, in Python or in C++; Kane derives its equations in
symbols, prints them as a textbook would, compiles them to machine code in milliseconds, and runs them.

- **Learn**: [ten lessons in C++, Python and files](course.md), [Kane's method step by step](kanes-method.md), [Python](python.md), [coming from SymPy](python-sympy.md)
- **How to**: [simulate](simulation.md), [analyse](analysis.md), [contacts](contact.md), [haptics](haptics.md), [export](export.md)
- **Theory**: [Kane's method from zero](theory.md), [formulations](formulations.md), [expressions](expressions.md), [textbook systems](systems/README.md), [architecture](architecture.md)
- **Reference**: [model file](model-file.md), [command](commands.md), [Python](reference/python.md), <a href="cpp/index.html">C++</a>
- [Gallery](gallery.md), [benchmarks](benchmarks.md), [comparison](comparison.md)

```
make run                                   # build, and see a demonstration
build/bin/kane simulate models/planar2r.yaml
```

```python
import kane
run = kane.load(kane.example("planar2r")).simulate(2.0, q1=0.3)
```
"""


# ---- putting it together -----------------------------------------------------------------------------------------------------

def configuration(stage, site, moving):
    def present(pages):
        return [p for p in pages if (stage / p).is_file()]
    nav = {"Home": "index.md", "Learn": present(LEARN), "How to": present(HOW_TO), "Theory": present(THEORY),
           "Reference": present([*REFERENCE, "reference/keys.md", "reference/commands.md", "reference/python.md"])}
    text = ["site_name: Kane", f"docs_dir: {stage}", f"site_dir: {site}", "theme: {name: readthedocs, highlightjs: false}",
            "use_directory_urls: false", "plugins: [search]", "markdown_extensions: [tables, fenced_code, toc, attr_list, md_in_html]",
            "extra_css: [extra.css]", "extra_javascript: [search_data.js, search.js]", "nav:"]
    for title, pages in nav.items():
        text.append(f"  - {title}: {pages}" if isinstance(pages, str) else f"  - {title}:")
        if not isinstance(pages, str):
            text += [f"      - {p}" for p in pages]
    if moving:
        text.append("  - Gallery: gallery.md")
    text += ["  - Benchmarks: benchmarks.md", "  - Comparison: comparison.md"]
    return "\n".join(text) + "\n"


def mend_theme(stage):
    """Pages of Debian's mkdocs name two scripts that its package does not have: jQuery under another name, and one for tables."""
    (stage.folder / "js").mkdir(exist_ok=True)
    jquery = Path("/usr/share/javascript/jquery/jquery.min.js")
    template = Path(importlib.import_module("mkdocs").__file__).parent / "themes" / "readthedocs"
    for name in re.findall(r"'js/([\w.-]+\.js)'", (template / "base.html").read_text()):
        if not (template / "js" / name).exists():
            text = jquery.read_text() if name.startswith("jquery") and jquery.exists() else "// nothing to add\n"
            stage.write(f"js/{name}", text)


class Links(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self):
        super().__init__()
        self.links, self.anchors = [], set()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        for key in ("id", "name"):
            if given.get(key):
                self.anchors.add(given[key])
        target = given.get("href") if tag in ("a", "link") else given.get("src") if tag in ("img", "script", "iframe") else None
        if target:
            self.links.append(target)


def mend_summaries(folder):
    """Doxygen's summary of a page names sections that the page leaves out."""
    for file in folder.glob("*.html"):
        text = file.read_text(encoding="utf-8")
        mended = re.sub(r'<a href="#([\w-]+)">([^<]*)</a> (?:&#124;\n)?',
                        lambda m: m[0] if f'id="{m[1]}"' in text or f'name="{m[1]}"' in text else "", text)
        if mended != text:
            file.write_text(mended, encoding="utf-8")


def dead_links(site):
    """Links that lead nowhere."""
    pages = {}
    for file in site.rglob("*.html"):
        pages[file.resolve()] = Links()
        pages[file.resolve()].feed(file.read_text(encoding="utf-8"))
    for file, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("//"):
                continue
            path = urllib.parse.unquote(parts.path)
            target = site / path.lstrip("/") if path.startswith("/") else (file.parent / path if path else file)
            target = target / "index.html" if target.is_dir() else target
            target = Path(target).resolve()
            if not target.exists():
                yield f"{file.relative_to(site)}: {link} leads nowhere"
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                yield f"{file.relative_to(site)}: {link}: no such place on that page"


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(arguments) != 2:
        sys.exit(__doc__)
    build, site = (Path(a).resolve() for a in arguments)
    sys.path.insert(0, str(build / "python"))
    import kane
    stage = Stage(site.parent / (site.name + ".pages"))
    stage.copy_docs()
    names = [] if "--no-pictures" in sys.argv else [n for n in GALLERY if (ROOT / "models" / f"{n}.yaml").is_file()]
    for name in names:
        moving_picture(kane, name, stage.folder, 4.0)
    stage.write("index.md", first_page(bool(names)))
    if names:
        stage.write("gallery.md", gallery_page(kane, stage, names))
    else:
        stage.write("index.md", first_page(False).replace("[Gallery](gallery.md), ", ""))
    stage.write("reference/keys.md", keys_page())
    stage.write("reference/commands.md", help_page(build / "bin" / "kane"))
    stage.write("reference/python.md", python_page())
    stage.write_sources()
    for name in ("extra.css", "search.js"):
        shutil.copy(ROOT / "docs" / "site" / name, stage.folder / name)
    stage.write("search_data.js", "")
    mend_theme(stage)
    settings = site.parent / (site.name + ".yml")
    settings.write_text(configuration(stage.folder, site, bool(names)))
    subprocess.run(["mkdocs", "build", "--quiet", "--clean", "-f", settings], check=True)
    (site / "404.html").unlink(missing_ok=True)  # only a server shows it, and its links begin at the root of one
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    (site / "search_data.js").write_text(f"window.kaneSearchIndex = {index};\n", encoding="utf-8")
    subprocess.run([ROOT / "scripts" / "build_docs.sh", site / "cpp.made"], check=True)
    made = site / "cpp.made" / "html" if (site / "cpp.made" / "html").is_dir() else site / "cpp.made"
    shutil.copytree(made, site / "cpp", dirs_exist_ok=True)
    shutil.rmtree(site / "cpp.made")
    mend_summaries(site / "cpp")
    course = (site / "course.html").read_text(encoding="utf-8")
    lessons = len(list((ROOT / "examples").glob("[01][0-9]_*.py")))
    if len(re.findall(r'<input [^>]*checked><label [^>]*>C\+\+</label><div class="tab"><pre>', course)) != lessons:
        sys.exit("course.html does not show every lesson as a file, in C++ and in Python")
    dead = sorted(set(dead_links(site)))
    for line in dead:
        print("error:", line)
    if dead:
        sys.exit(f"{len(dead)} dead links")
    print(f"documentation: {site / 'index.html'} ({sum(1 for _ in site.rglob('*.html'))} pages)")


if __name__ == "__main__":
    main()
