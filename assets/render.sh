#!/usr/bin/env bash
# Renders icon.png and the tray's masks from their drawings. Needs rsvg-convert (librsvg2-bin) and the font Inter (fonts-inter).
set -euo pipefail
cd "$(dirname "$0")"

hollow='<circle cx="CX" cy="45" r="6.5" fill="none" stroke="#000" stroke-width="4"/>'
filled='<circle cx="CX" cy="45" r="9" fill="#000"/>'

# tray DOT COUNT prints one tray icon: the arc, the dot under it and, when cues wait, their count beside the dot.
tray() {
  local dot=$1 count=$2 cx=32 text=
  case $count in
    0) ;;
    9+) cx=14 text='<text x="44" y="58" font-size="28" letter-spacing="-1.5">9+</text>' ;;
    *) cx=18 text="<text x=\"43\" y=\"60\" font-size=\"34\">$count</text>" ;;
  esac
  cat <<SVG
<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64" viewBox="0 0 64 64">
  <path d="M2 ARCY A30 28 0 0 1 62 ARCY A2.5 2.5 0 0 1 57 ARCY A25 18 0 0 0 7 ARCY A2.5 2.5 0 0 1 2 ARCY Z"/>
  ${dot//CX/$cx}
  <g font-family="Inter" font-weight="600" text-anchor="middle">$text</g>
</svg>
SVG
}

# place moves the arc up when a count needs the room under it.
place() {
  local y=42
  [ "$1" = 0 ] || y=30
  sed "s/ARCY/$y/g"
}

rsvg-convert --width 512 icon.svg --output icon.png
mkdir -p tray
for count in 0 1 2 3 4 5 6 7 8 9 9+; do
  name=${count/+/plus}
  tray "$hollow" "$count" | place "$count" | rsvg-convert --output "tray/idle-$name.png"
  tray "$filled" "$count" | place "$count" | rsvg-convert --output "tray/working-$name.png"
done
