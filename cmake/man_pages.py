#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
"""Manual pages from what Doxygen has read of the headers: one in section 3 per function and type,
one in section 7 per header. Doxygen's own pages are one per header and per member of a structure.

Usage: man_pages.py XML_FOLDER VERSION INCLUDE_FOLDER:INCLUDE_FOLDER [OUTPUT_FOLDER]
Without an output folder: prints each public name that has no comment, and exits with 1 if there is
one."""

import pathlib
import re
import sys
import textwrap
import xml.etree.ElementTree as ET

STATUS = re.compile(r"\b(AVRM_(?:OK|ERR_\w+))")


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", "\\\\&.", text, flags=re.M)


def literal(text):
    return ".PP\n.RS 4\n.nf\n" + escape(textwrap.dedent(text.expandtabs()).strip("\n")) + "\n.fi\n.RE\n"


def text_of(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


class Roff:
    """Descriptions of Doxygen as roff. Names in `arguments` are set in italics."""

    def __init__(self, functions, arguments=()):
        self.functions, self.arguments = functions, arguments

    def inline(self, element):
        out = escape(re.sub(r"\s+", " ", element.text or ""))
        for child in element:
            out += self.child(child) + escape(re.sub(r"\s+", " ", child.tail or ""))
        return out

    def child(self, child):
        name = text_of(child)
        if child.tag == "ref" and name in self.functions:
            return f"\\fB{escape(name)}\\fR(3)"
        if child.tag == "nonbreakablespace":
            return " "
        if child.tag in ("computeroutput", "emphasis", "bold"):
            font = "I" if name in self.arguments or child.tag == "emphasis" else "B"
            return f"\\f{font}{escape(name)}\\fR"
        return self.inline(child)

    def paragraphs(self, element):
        """All paragraphs of a description, without its lists of arguments and its sections."""
        out = ""
        for para in element if element is not None else ():
            if para.tag == "sect1":
                out += f".PP\n{escape(text_of(para.find('title')))}\n" + self.paragraphs(para)
            elif para.tag == "para":
                out += self.para(para)
        return out

    def description(self, element):
        """Doxygen makes a paragraph of the first sentence."""
        brief = self.paragraphs(element.find("briefdescription")).replace(".PP\n", "", 1)
        return brief + self.paragraphs(element.find("detaileddescription")).replace(".PP\n", "", 1)

    def para(self, para):
        out, line = "", escape(re.sub(r"\s+", " ", para.text or ""))
        for child in para:
            block = self.block(child)
            if block is None:
                line += self.child(child)
            else:
                out += self.flow(line) + block
                line = ""
            line += escape(re.sub(r"\s+", " ", child.tail or ""))
        return out + self.flow(line)

    @staticmethod
    def flow(line):
        line = line.strip()
        return f".PP\n{wrap(line)}\n" if line else ""

    def block(self, child):
        if child.tag in ("simplesect", "parameterlist"):
            return ""
        if child.tag == "verbatim":
            return literal(child.text or "")
        if child.tag == "programlisting":
            return literal("\n".join(code_line(line) for line in child))
        if child.tag in ("itemizedlist", "orderedlist"):
            items = ""
            for number, item in enumerate(child.findall("listitem"), 1):
                mark = "\\(bu 2" if child.tag == "itemizedlist" else f"{number}. 3"
                items += f".IP {mark}\n" + self.paragraphs(item).replace(".PP\n", "", 1)
            return items
        return None


def code_line(line):
    return "".join(" " if part.tag == "sp" else part.text or "" for part in flatten(line))


def flatten(element):
    """Elements in order, with the text behind each as one of its own."""
    for child in element:
        yield child
        yield from flatten(child)
        if child.tail and child.tail.strip("\n"):
            tail = ET.Element("text")
            tail.text = child.tail
            yield tail


def wrap(line):
    lines = textwrap.wrap(line, 100, break_long_words=False, break_on_hyphens=False)
    return "\n".join("\\&" + text if text[0] in ".'" else text for text in lines)


def has_text(member):
    return any(text_of(member.find(tag)) for tag in ("briefdescription", "detaileddescription"))


def split_opening(text):
    """The paragraphs of the comment that begins a header. Indented ones are drawn as they are."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        yield block.startswith("  "), block


class Header:
    """A public header. `opening` is the comment that begins it."""

    def __init__(self, compound, lines):
        self.path = compound.find("location").get("file")
        self.page = "avrankmap_" + re.sub(r"\W", "_", re.sub(r"^avrankmap/|\.h$", "", self.path))
        self.opening = "".join(compound.find("detaileddescription").itertext()).strip()
        self.members = [(section, member) for section in compound.findall("sectiondef")
                        for member in section.findall("memberdef")]
        self.lines = lines
        device = "/device" in self.path or "/netmod/" in self.path
        self.package = "avrankmap-device" if device else "avrankmap"

    def title(self):
        return re.sub(r"\s+", " ", re.split(r"\.\s|\n\s*\n|\.$", self.opening)[0]).strip()

    def paragraph(self, word):
        """The paragraph of the opening that begins with a word."""
        return next((block for drawn, block in split_opening(self.opening) if not drawn and block.startswith(word)), "")

    def example(self, name):
        """The quotations in the opening that use a name, each with its sentence."""
        blocks = list(split_opening(self.opening))
        return [(blocks[i - 1][1], block) for i, (drawn, block) in enumerate(blocks)
                if i and drawn and "(tests/tour/" in blocks[i - 1][1] and re.search(rf"\b{name}\b", block)]

    def code(self, element):
        """A definition as it stands in the header."""
        place = element.find("location")
        first = int(place.get("bodystart") or place.get("line"))
        last = max(first, int(place.get("bodyend") or 0))
        while self.lines[last - 1].endswith("\\"):
            last += 1
        return "\n".join(line.rstrip("\\").rstrip() for line in self.lines[first - 1:last])


    def declaration(self, member):
        first = int(member.find("location").get("line"))
        last = first
        while not self.lines[last - 1].rstrip().endswith(";"):
            last += 1
        return "\n".join(self.lines[first - 1:last])


class Pages:
    def __init__(self, folder, version, roots):
        self.version = version
        files = [ET.parse(path).getroot().find("compounddef") for path in sorted(folder.glob("*.xml"))
                 if path.name not in ("index.xml", "Doxyfile.xml")]
        self.structs = {file.findtext("compoundname"): file for file in files if file.get("kind") in ("struct", "union")}
        self.headers = []
        for file in files:
            path = file.find("location")
            if file.get("kind") == "file" and path.get("file").endswith(".h"):
                source = next(root / path.get("file") for root in roots if (root / path.get("file")).exists())
                self.headers.append(Header(file, source.read_text().splitlines()))
        every_line = "\n".join(line for header in self.headers for line in header.lines)
        self.statuses = dict(re.findall(r'X\((AVRM_\w+), -?\d+, "(.*?)"\)', every_line))
        self.functions = {member.findtext("name") for header in self.headers for _, member in header.members
                          if member.get("kind") == "function"}

    # ---- checking

    def undocumented(self):
        for header in self.headers:
            for _, member in header.members:
                name, kind = member.findtext("name"), member.get("kind")
                values = [value for value in member.findall("enumvalue") if re.match(r"AVRM_(?!I_)\w+$", value.findtext("name"))]
                if kind == "typedef" and self.defined_by(member):
                    continue  # the type's own name has the comment
                if not self.documented(member):
                    yield f"{header.path}:{member.find('location').get('line')}: {name}"
                # One comment may be for all values, or each has its own.
                elif any(map(has_text, values)):
                    yield from (f"{header.path}: {value.findtext('name')}" for value in values if not has_text(value))
        for name, struct in self.structs.items():
            if not re.search(r"::|@", name) and not has_text(struct) and not self.typedef_text(name):
                yield f"{struct.find('location').get('file')}: {name}"

    def defined_by(self, typedef):
        """The structure or enumeration that a typedef names."""
        name = re.sub(r"^(struct|enum|union) ", "", text_of(typedef.find("type")))
        if name in self.structs:
            return self.structs[name]
        return next((member for header in self.headers for _, member in header.members
                     if member.get("kind") == "enum" and member.findtext("name") == name), None)

    def typedef_text(self, name):
        return any(has_text(member) for header in self.headers for _, member in header.members
                   if member.get("kind") == "typedef" and re.sub(r"^(struct|enum|union) ", "", text_of(member.find("type"))) == name)

    def documented(self, member):
        return has_text(member) or (member.get("kind") == "enum" and self.typedef_text(member.findtext("name")))

    # ---- writing

    def write(self, out):
        for header in self.headers:
            entries = {}
            for section, member in header.members:
                name, kind = member.findtext("name"), member.get("kind")
                if kind == "function":
                    page = self.function_page(header, section, member)
                elif kind == "typedef":
                    page = self.type_page(header, member)
                else:
                    continue
                entries[name] = self.brief(member)
                page = re.sub(r" \(tests/tour/(\w+\.c)\):", r", as in the example \1:", page)
                (out / "man3" / f"{name}.3").write_text(page)
            (out / "man7" / f"{header.page}.7").write_text(self.header_page(header, entries))
        (out / "man7" / "avrankmap.7").write_text(self.first_page())

    def head(self, name, section, brief):
        return (f'.TH "{escape(name)}" {section} "" "avrankmap {self.version}" "avrankmap"\n.ad l\n.nh\n.SH NAME\n'
                f"{escape(name)} \\- {escape(brief)}\n")

    def brief(self, member):
        struct = self.defined_by(member) if member.get("kind") == "typedef" else None
        text = next((text for text in (text_of(e.find("briefdescription")) for e in (member, struct) if e is not None) if text), "")
        text = re.split(r"(?<=\w)[:;] |(?<=\w)\. ", text.rstrip("."))[0]
        return text[:1].lower() + text[1:] if text[1:2].islower() else text

    def function_page(self, header, section, member):
        name = member.findtext("name")
        arguments = {text_of(e) for e in member.iter("declname")}
        roff = Roff(self.functions - {name}, arguments)
        out = self.head(name, 3, self.brief(member)) + synopsis(header, prototype(member))
        out += ".SH DESCRIPTION\n" + roff.description(member)
        details = member.find("detaileddescription")
        items = details.findall(".//parameteritem")
        if items:
            out += ".SH ARGUMENTS\n"
        for item in items:
            names = ", ".join(text_of(e) for e in item.iter("parametername"))
            out += f".TP\n.I {escape(names)}\n" + roff.paragraphs(item.find("parameterdescription")).replace(".PP\n", "", 1)
        for result in details.findall(".//simplesect[@kind='return']"):
            out += self.result(roff, result, section)
        for part in details.findall(".//simplesect[@kind='par']"):
            out += f".SH {escape(text_of(part.find('title')).upper())}\n" + capital(roff.paragraphs(part).replace(".PP\n", "", 1))
        common = roff.paragraphs(section.find("description"))
        common = re.sub(r"\A(\.PP\n[^\n]*(?:\n(?!\.)[^\n]*)*\n)\.PP\n", r"\1", common) # see description()
        if common:
            title = section.findtext("header")
            out += f'.SH NOTES\nFor all functions of the section \\(lq{escape(title)}\\(rq of <{escape(header.path)}>:\n' + common
        threads = header.paragraph("Thread-safety:")
        if threads:
            out += ".SH THREAD SAFETY\n" + wrap(escape(capital(re.sub(r"\s+", " ", threads[len("Thread-safety:"):]).strip()))) + "\n"
        examples = header.example(name)
        if examples:
            out += ".SH EXAMPLES\n"
        for sentence, code in examples:
            sentence = re.sub(r"\s+", " ", sentence)
            out += f".PP\n{wrap(escape(sentence))}\n" + literal(code)
        same = [m.findtext("name") for s, m in header.members if s is section and m.get("kind") == "function"]
        at = same.index(name)
        near = same[max(0, at - 4):at] + same[at + 1:at + 5]
        return out + see_also([(n, 3) for n in near] + [(header.page, 7)])

    def result(self, roff, result, section):
        """RETURN VALUE, and ERRORS if the result is a list of statuses."""
        text = text_of(result)
        if not STATUS.search(text):
            return ".SH RETURN VALUE\n" + capital(roff.paragraphs(result).replace(".PP\n", "", 1))
        parts = re.findall(r"(AVRM_(?:OK|ERR_\w+))(?: \(((?:[^()]|\([^()]*\))*)\))?", text)
        rest = re.sub(r"AVRM_(?:OK|ERR_\w+)(?: \((?:[^()]|\([^()]*\))*\))?", "", text)
        rest = re.sub(r"^also\b|\band\b|\bor\b|[ ,.;]+", " ", rest).strip()
        if rest and rest != "the common errors":
            return ".SH RETURN VALUE\n" + capital(roff.paragraphs(result).replace(".PP\n", "", 1))
        out = ".SH RETURN VALUE\nAVRM_OK, or one of the errors below"
        if rest:
            out += f", or a common error of the functions of this header"
        elif text.startswith("also"):
            out += ", or one of those that NOTES names" if text_of(section.find("description")) else ", or a common error"
        out += ".\n.SH ERRORS\n"
        for status, why in parts:
            if status != "AVRM_OK":
                out += f".TP\n.B {status}\n{wrap(escape(capital(why or self.statuses.get(status, ''))))}.\n"
        return out if len(parts) > 1 or parts[0][0] != "AVRM_OK" else ".SH RETURN VALUE\nAVRM_OK.\n"

    def type_page(self, header, member):
        name = member.findtext("name")
        body = self.defined_by(member)
        code = header.declaration(member)
        if body is not None and body.find("location").get("bodystart"):
            code = textwrap.dedent(header.code(body))
            values = re.search(r"\b(AVRM_\w+_LIST)\(", code)
            for _, define in header.members if values else ():
                if define.findtext("name") == values.group(1):
                    code = header.code(define) + "\n\n" + code
        out = self.head(name, 3, self.brief(member)) + synopsis(header, code)
        out += ".SH DESCRIPTION\n"
        roff = Roff(self.functions)
        out += roff.description(member if has_text(member) or body is None else body)
        return out + see_also([(header.page, 7)])

    def header_page(self, header, entries):
        out = self.head(header.page, 7, header.title()) + f".SH SYNOPSIS\n.nf\n#include <{escape(header.path)}>\n.fi\n.SH DESCRIPTION\n"
        for drawn, block in split_opening(header.opening):
            out += literal(block) if drawn else ".PP\n" + wrap(escape(re.sub(r"\s+", " ", block))) + "\n"
        if entries:
            out += ".SH FUNCTIONS AND TYPES\n"
        for name, brief in entries.items():
            out += f".TP\n.BR {escape(name)} (3)\n{wrap(escape(brief))}\n"
        macros = [member for _, member in header.members if member.get("kind") == "define" and has_text(member)]
        if macros:
            out += ".SH MACROS\n"
        for macro in macros:
            out += f".TP\n.B {escape(macro.findtext('name'))}\n" + Roff(self.functions).description(macro)
        return out + see_also([("avrankmap", 7)])

    def first_page(self):
        out = self.head("avrankmap", 7, "communicator ranks to network addresses")
        out += (".SH DESCRIPTION\nThe component maps (communicator, rank) to a network address: it is linked with the flags of\n"
                ".IR \"pkg-config \\-\\-cflags \\-\\-libs \\-\\-static avrankmap\" .\n"
                "The device sends messages and has windows; its package is\n.IR avrankmap\\-device .\n"
                "Each public header has a page in section 7, each function and type one in section 3.\n.SH HEADERS\n")
        for header in self.headers:
            out += f".TP\n.BR {escape(header.page)} (7)\n{wrap(escape(header.title()))}\n"
        return out


def capital(text):
    return text[:1].upper() + text[1:] if not re.match(r"avrm_|\\", text) else text


def prototype(member):
    start = f"{member.findtext('definition')}("
    inner = member.findtext("argsstring")[1:].rsplit(")", 1)[0]
    if len(start) + len(inner) <= 76:
        return f"{start}{inner});"
    glued = re.sub(r"(?<!,) ", "\0", inner)  # lines end at commas
    lines = textwrap.wrap(glued, 76 - min(len(start), 44), break_long_words=False, break_on_hyphens=False)
    indent = " " * len(start) if len(start) <= 44 else " " * 8
    joined = ("" if len(start) <= 44 else "\n" + indent) + ("\n" + indent).join(lines)
    return (start + joined + ");").replace("\0", " ")


def synopsis(header, code):
    return (f".SH SYNOPSIS\n.nf\n#include <{escape(header.path)}>\n\n{escape(code)}\n.fi\n.PP\n"
            f"Compile and link with the flags of\n.IR \"pkg-config \\-\\-cflags \\-\\-libs \\-\\-static {escape(header.package)}\" .\n")


def see_also(pages):
    return ".SH SEE ALSO\n" + ",\n".join(f".BR {escape(name)} ({section})" for name, section in pages).replace("),\n", "),\n") + "\n"


def main():
    folder, version, roots, out = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3].split(":"), sys.argv[4:]
    pages = Pages(folder, version, [pathlib.Path(root) for root in roots])
    if not out:
        names = sorted(set(pages.undocumented()))
        print("\n".join(f"{name} has no comment" for name in names))
        return bool(names)
    for section in ("man3", "man7"):
        (pathlib.Path(out[0]) / section).mkdir(parents=True, exist_ok=True)
    pages.write(pathlib.Path(out[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
