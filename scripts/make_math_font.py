#!/usr/bin/env python3
"""Writes kane/base/font/kane_math.woff2.base64: the characters of STIX Math that Kane's pages use.

The result is in the repository, so a build does not need this script. To make it again, with other characters for
example: apt install fonts-stix fonttools python3-brotli, then scripts/make_math_font.py.
The licence of the font (SIL Open Font License 1.1) asks for another name of a changed font: it is called Kane Math.
"""
import base64
import io
import pathlib

from fontTools import subset
from fontTools.ttLib import TTFont

SOURCE = "/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf"
TARGET = pathlib.Path(__file__).resolve().parent.parent / "kane/base/font/kane_math.woff2.base64"
NAME = "Kane Math"

RANGES = [
    (0x20, 0x7E),  # ASCII
    (0xA0, 0xA0), (0xA8, 0xA8), (0xAF, 0xB1), (0xB7, 0xB7), (0xD7, 0xD7), (0x2D9, 0x2D9),
    (0x302, 0x304), (0x307, 0x308), (0x20DB, 0x20DB),  # accents
    (0x391, 0x3A9), (0x3B1, 0x3C9), (0x3D1, 0x3D1), (0x3D5, 0x3D5), (0x3F1, 0x3F1), (0x3F5, 0x3F5),  # Greek
    (0x2013, 0x2014), (0x2026, 0x2026), (0x2032, 0x2032), (0x2061, 0x2062), (0x210E, 0x210E), (0x2113, 0x2113),
    (0x2192, 0x2192), (0x2208, 0x2208), (0x2211, 0x2212), (0x2218, 0x221A), (0x221E, 0x221E), (0x2260, 0x2260),
    (0x2264, 0x2265), (0x22C5, 0x22C5), (0x2308, 0x230B),
    (0x1D400, 0x1D467),  # bold, italic
    (0x1D6E2, 0x1D755),  # Greek: italic, bold italic
    (0x1D7CE, 0x1D7D7),  # bold digits
]


def main():
    options = subset.Options(flavor="woff2", layout_features=["ssty", "kern"], hinting=False, desubroutinize=True,
                             name_IDs=["*"], notdef_outline=True)
    font = TTFont(SOURCE, recalcTimestamp=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[c for first, last in RANGES for c in range(first, last + 1)])
    subsetter.subset(font)
    for record in font["name"].names:
        if record.nameID in (1, 3, 4, 16, 18):
            record.string = NAME
        if record.nameID == 6:
            record.string = NAME.replace(" ", "")
    cff = font["CFF "].cff
    cff.fontNames[0] = NAME.replace(" ", "")
    cff[0].FullName = cff[0].FamilyName = NAME
    font.flavor = "woff2"
    data = io.BytesIO()
    font.save(data)
    TARGET.write_text(base64.b64encode(data.getvalue()).decode())
    print(f"{TARGET}: {len(data.getvalue())} bytes")


if __name__ == "__main__":
    main()
