#!/usr/bin/env python3
"""Takes the tables of glyph substitutions and signatures out of the fonts that are named: slim.py fonts/Inter-*.otf"""

import struct
import sys

UNWANTED = (b"GSUB", b"DSIG")


def checksum(data):
    data += b"\0" * (-len(data) % 4)
    return sum(struct.unpack(">%dI" % (len(data) // 4), data)) & 0xFFFFFFFF


def slim(font):
    count = struct.unpack(">H", font[4:6])[0]
    tables = [struct.unpack(">4sIII", font[12 + 16 * i : 28 + 16 * i]) for i in range(count)]
    tables = [t for t in tables if t[0] not in UNWANTED]
    power = len(tables).bit_length() - 1
    search = 16 << power
    head = font[:4] + struct.pack(">HHHH", len(tables), search, power, 16 * len(tables) - search)
    body, entries = b"", {}
    for tag, _, offset, size in sorted(tables, key=lambda t: t[2]):
        data = font[offset : offset + size]
        if tag == b"head":  # its sum over the whole file counts as nothing while it is made
            data = data[:8] + b"\0\0\0\0" + data[12:]
        entries[tag] = (checksum(data), len(head) + 16 * len(tables) + len(body), size)
        body += data + b"\0" * (-size % 4)
    whole = head + b"".join(struct.pack(">4sIII", t[0], *entries[t[0]]) for t in tables) + body
    at = entries[b"head"][1] + 8
    return whole[:at] + struct.pack(">I", 0xB1B0AFBA - checksum(whole) & 0xFFFFFFFF) + whole[at + 4 :]


for path in sys.argv[1:]:
    with open(path, "rb") as file:
        slimmed = slim(file.read())
    with open(path, "wb") as file:
        file.write(slimmed)
