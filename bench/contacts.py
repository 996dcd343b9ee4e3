"""Contacts against what is known: sample truth, captured jumps and straight walks, clip by clip.

python bench/contacts.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from mograph import feet
from mograph.contact_detection import detect_contacts, without_short_phases
from mograph.contacts import Contact, phases
from mograph.importer import ImportSettings, find_sources, import_clips
from mograph.sample import sample_clips

CMU = Path(__file__).resolve().parents[2] / "shared" / "data" / "cmu"


def sample_rows() -> None:
    clips = sample_clips()
    resting = feet.resting_heights([feet.foot_tracks(c) for c in clips], feet.body_scale(clips[0].skeleton))
    print(f"{'sample clip':<24}{'phases':>8}{'found':>8}{'largest error, frames':>24}")
    for clip in clips:
        assert clip.contact is not None
        truth = phases(clip.contact)
        found = phases(without_short_phases(detect_contacts(clip, resting)))
        same = [p.contact for p in truth] == [p.contact for p in found]
        error = max(abs(a.start - b.start) for a, b in zip(truth, found, strict=True)) if same else np.inf
        print(f"{clip.name:<24}{len(truth):>8}{len(found):>8}{error:>24}")


def captured_rows() -> None:
    with open(CMU / "manifest.csv", newline="") as file:
        rows = {row["file"].split("/")[1][:-4]: row for row in csv.DictReader(file)}
    sources = [s for s in find_sources([CMU]) if s.subject in ("7", "8", "16", "35", "118")]
    database = import_clips(sources, ImportSettings("cmu")).database

    print(f"\n{'jump of 118':<24}{'flights':>8}{'seconds in flight':>24}")
    for clip in database:
        if clip.subject == "118" and clip.contact is not None:
            flights = [p for p in phases(clip.contact) if p.contact == Contact.FLIGHT]
            print(f"{clip.name:<24}{len(flights):>8}{sum(map(len, flights)) / clip.fps:>24.2f}")

    print(
        f"\n{'straight walk':<24}{'cycles':>8}{'left, double, right, double, each of 2 frames or more':>56}"
    )
    good = total = 0
    for clip in database:
        row = rows[clip.name]
        straight = row["tags"] == "walk" and abs(float(row["net_turn_deg"])) < 30
        if clip.subject == "118" or not straight or clip.contact is None:
            continue
        found = phases(clip.contact)
        masks = [int(p.contact) for p in found]
        starts = [k for k in range(1, len(found) - 4) if masks[k] == Contact.LEFT_FOOT]
        fine = [
            k for k in starts if masks[k : k + 4] == [1, 3, 2, 3] and min(map(len, found[k : k + 4])) >= 2
        ]
        good, total = good + len(fine), total + len(starts)
        print(f"{clip.name:<24}{len(starts):>8}{len(fine):>56}")
    print(f"{'all':<24}{total:>8}{good:>50}  {100 * good / total:.1f} %")


if __name__ == "__main__":
    sample_rows()
    if (CMU / "manifest.csv").is_file():
        captured_rows()
    else:
        print("the captured clips are not beside the project: jumps and walks left out")
