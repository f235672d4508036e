"""All episodes, one line each. Importing this package registers them with the socket."""

from __future__ import annotations

from domain.games.fronela.episode_api.registry import register
from domain.games.fronela.episodes.blinding_eye import BlindingEye
from domain.games.fronela.episodes.closing_seas import ClosingSeas
from domain.games.fronela.episodes.dormal import Dormal
from domain.games.fronela.episodes.eleven_beasts import ElevenBeasts
from domain.games.fronela.episodes.god_learners import GodLearners
from domain.games.fronela.episodes.harrek import Harrek
from domain.games.fronela.episodes.hrestol import Hrestol
from domain.games.fronela.episodes.jonat import Jonat
from domain.games.fronela.episodes.long_winter import LongWinter
from domain.games.fronela.episodes.lord_death import LordDeath
from domain.games.fronela.episodes.middle_sea import MiddleSea
from domain.games.fronela.episodes.moon_boats import MoonBoats
from domain.games.fronela.episodes.siglat import Siglat
from domain.games.fronela.episodes.syndics_ban import SyndicsBan
from domain.games.fronela.episodes.talor import Talor

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
"""All episodes by key; read-only."""
