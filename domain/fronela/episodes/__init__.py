"""All episodes, one line each. Importing this package registers them with the socket."""

from __future__ import annotations

from domain.fronela.episode.registry import register
from domain.fronela.episodes.blinding_eye import BlindingEye
from domain.fronela.episodes.closing_seas import ClosingSeas
from domain.fronela.episodes.dormal import Dormal
from domain.fronela.episodes.eleven_beasts import ElevenBeasts
from domain.fronela.episodes.god_learners import GodLearners
from domain.fronela.episodes.harrek import Harrek
from domain.fronela.episodes.hrestol import Hrestol
from domain.fronela.episodes.jonat import Jonat
from domain.fronela.episodes.long_winter import LongWinter
from domain.fronela.episodes.lord_death import LordDeath
from domain.fronela.episodes.middle_sea import MiddleSea
from domain.fronela.episodes.moon_boats import MoonBoats
from domain.fronela.episodes.siglat import Siglat
from domain.fronela.episodes.syndics_ban import SyndicsBan
from domain.fronela.episodes.talor import Talor

EPISODES = register(
    Hrestol(),
    BlindingEye(),
    ElevenBeasts(),
    Talor(),
    LongWinter(),
    GodLearners(),
    MiddleSea(),
    ClosingSeas(),
    Jonat(),
    Siglat(),
    SyndicsBan(),
    Dormal(),
    MoonBoats(),
    LordDeath(),
    Harrek(),
)
"""By key; read-only."""
