#!/bin/sh
# Makes sans-regular.ttf and sans-bold.ttf: Liberation Sans 2.1.5, without hints, cut down to the
# characters of Latin, Greek and figures. The licence reserves the name "Liberation", so the parts
# have another. Needs Debian's packages fonts-liberation2 and fonttools (bookworm).
set -eu
cd "$(dirname "$0")"
from=${1:-/usr/share/fonts/truetype/liberation2}

# ASCII, Latin-1, Latin Extended-A, Greek, dashes, quotes, arrows, signs, marks of plans.
characters=U+20-7E,U+A0-17F,U+391-3A9,U+3B1-3C9,U+2010-2015,U+2018-201E,U+2020-2022,U+2026,U+2030,\
U+2032,U+2033,U+2039,U+203A,U+2044,U+2070,U+2074-207A,U+207B,U+207F,U+20AC,U+2122,U+2126,\
U+2190-2195,U+2212,U+221E,U+2248,U+2260,U+2264,U+2265,U+25A0,U+25A1,U+25B2,U+25BA,U+25BC,U+25C4,\
U+25CA,U+25CB,U+25CF,U+25E6,U+FFFD

for weight in Regular Bold; do
    part=sans-$(echo "$weight" | tr '[:upper:]' '[:lower:]').ttf
    pyftsubset "$from/LiberationSans-$weight.ttf" --unicodes="$characters" --output-file="$part" \
        --layout-features=kern --no-hinting --desubroutinize --notdef-outline --name-IDs='*' \
        --drop-tables+=FFTM,DSIG,GDEF,GSUB,gasp,meta
    /usr/bin/python3 - "$part" "$weight" <<'RENAME'
import sys
from fontTools.ttLib import TTFont

path, weight = sys.argv[1:]
font = TTFont(path, recalcTimestamp=False)
family = "Nearfar Sans"
names = {1: family, 2: weight, 3: f"{family} {weight} 2.1.5", 4: f"{family} {weight}",
         6: f"NearfarSans-{weight}"}
table = font["name"]
kept = {0, 13, 14}  # who made it, and the licence
table.names = [name for name in table.names if name.nameID in kept and name.platformID == 3]
for number, text in names.items():
    table.setName(text, number, 3, 1, 0x409)
font.save(path)
RENAME
done
