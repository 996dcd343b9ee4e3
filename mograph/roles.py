"""Which joint is the left knee: joint roles and left/right pairs found from the names people use.

Understood are the schemes of CMU/cgspeed, Mixamo, HumanIK, LAFAN1, Biped, ASF and SMPL, with or without
name-space prefixes (``mixamorig:LeftLeg``, ``Bip01 L Calf``, ``thigh.L``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

LIMB_ROLES = ("hip", "knee", "ankle", "toe", "collar", "shoulder", "elbow", "wrist")
ROLES = (
    "hips",
    "spine",
    "chest",
    "neck",
    "head",
    *(f"{side}_{limb}" for side in ("left", "right") for limb in LIMB_ROLES),
)

# For each role the words that name it, the surest first; a joint serves one role only, in this order.
_LIMB_WORDS = {
    "hip": ("upleg", "thigh", "upperleg", "femur", "hip"),
    "knee": ("leg", "calf", "shin", "lowerleg", "tibia", "knee"),
    "ankle": ("ankle", "foot"),
    "toe": ("toebase", "toe", "toes", "toe0", "ball", "foot"),
    "shoulder": ("upperarm", "humerus", "shldr", "arm", "shoulder"),
    "collar": ("clavicle", "collar", "shoulder"),
    "elbow": ("forearm", "lowerarm", "radius", "elbow"),
    "wrist": ("wrist", "hand"),
}
_CENTRE_WORDS = {"neck": ("neck", "lowerneck", "neck1"), "head": ("head",)}

_PREFIX = re.compile(r"^(.*:|bip\d*[\s_]+|mixamorig\d*_?|character\d*_)", re.IGNORECASE)
_SIDES = (  # surest form first: a side in full, a letter set off, a letter before a capital, a bare letter
    re.compile(r"^(?P<side>left|right)[\s_.-]*(?P<word>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<word>.+?)[\s_.-]*(?P<side>left|right)$", re.IGNORECASE),
    re.compile(r"^(?P<side>[lr])[\s_.-]+(?P<word>.+)$", re.IGNORECASE),
    re.compile(r"^(?P<word>.+?)[\s_.-]+(?P<side>[lr])$", re.IGNORECASE),
    re.compile(r"^(?P<side>[lrLR])(?P<word>[A-Z].*)$"),
    re.compile(r"^(?P<side>[lr])(?P<word>[a-z].*)$"),
)


def side_and_word(names: Sequence[str]) -> list[tuple[str, str]]:
    """Split each joint name into its side (``"left"``, ``"right"`` or ``""``) and the plain word left over.

    A side is believed only if the other side has a joint of the same word, so that *lowerback* has none.

    >>> side_and_word(["Bip01 L Calf", "Bip01 R Calf", "lowerback", "mixamorig:Hips"])
    [('left', 'calf'), ('right', 'calf'), ('', 'lowerback'), ('', 'hips')]
    """
    plain = [_PREFIX.sub("", name) for name in names]
    readings = []
    for name in plain:
        found: dict[tuple[str, str], None] = {}
        for form in _SIDES:
            if match := form.match(name):
                side = "left" if match["side"].lower().startswith("l") else "right"
                found.setdefault((side, _letters(match["word"])), None)
        readings.append(list(found))
    seen = {reading for found in readings for reading in found}
    result = []
    for name, reading in zip(plain, readings, strict=True):
        paired = [(s, w) for s, w in reading if (("right" if s == "left" else "left"), w) in seen]
        result.append(paired[0] if paired else ("", _letters(name)))
    return result


def _letters(word: str) -> str:
    return re.sub(r"[^a-z0-9]", "", word.lower())


def mirror_pairs(names: Sequence[str]) -> list[int]:
    """For each joint the index of its counterpart on the other side, or its own index in the middle.

    >>> mirror_pairs(["Hips", "LeftLeg", "RightLeg"])
    [0, 2, 1]
    """
    split = side_and_word(names)
    index = {key: i for i, key in reversed(list(enumerate(split)))}
    other = {"left": "right", "right": "left"}
    return [index[(other[s], w)] if s else i for i, (s, w) in enumerate(split)]


def find_roles(names: Sequence[str], parents: Sequence[int]) -> dict[str, int]:
    """Joint index of every role that the names tell; roles nobody names are left out.

    Limbs, neck and head go by name. The trunk goes by structure: *hips* is the joint where the legs meet,
    *chest* the one where the arms meet, *spine* the first joint on the way from hips to chest.
    """
    split = side_and_word(names)
    roles: dict[str, int] = {}
    for side in ("left", "right"):
        taken: set[int] = set()
        for limb, words in _LIMB_WORDS.items():
            for word in words:
                hits = [i for i, key in enumerate(split) if key == (side, word) and i not in taken]
                if hits:
                    roles[f"{side}_{limb}"] = hits[0]
                    taken.add(hits[0])
                    break
    for role, centre_words in _CENTRE_WORDS.items():
        for word in centre_words:
            hits = [i for i, key in enumerate(split) if key == ("", word)]
            if hits:
                roles[role] = hits[0]
                break
    _find_trunk(roles, parents)
    return {role: roles[role] for role in ROLES if role in roles}


def _find_trunk(roles: dict[str, int], parents: Sequence[int]) -> None:
    def ancestors(joint: int) -> list[int]:
        chain = [joint]
        while parents[chain[-1]] >= 0:
            chain.append(parents[chain[-1]])
        return chain

    def meeting(a: str, b: str) -> int | None:
        if a not in roles or b not in roles:
            return None
        others = set(ancestors(roles[b]))
        return next(j for j in ancestors(roles[a]) if j in others)

    hips = meeting("left_hip", "right_hip")
    roles["hips"] = 0 if hips is None else hips
    chest = meeting("left_shoulder", "right_shoulder")
    if chest is not None and chest != roles["hips"]:
        roles["chest"] = chest
        way = [j for j in ancestors(chest) if j != chest and j not in ancestors(roles["hips"])]
        if way:
            roles["spine"] = way[-1]
