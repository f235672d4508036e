"""Use features of the Python client: python habits.py turn URL TOKEN GAME, or … stream …"""

import json
import sys

from oraclewheel_client.api.commands import list_options
from oraclewheel_client.api.views import get_view
from oraclewheel_player import ProblemError, command, connect, send, stream


def status(*told):
    try:
        return send(client, game, 1, *told)["status"]
    except ProblemError as problem:
        return f"{problem.response.status_code} {problem.code}"


def choose(part):
    return part.one_of[0] if part.one_of else part.subset_of[: part.min_]


what, url, token, game = sys.argv[1:]
client = connect(url, token)
if what == "stream":
    print(json.dumps([entry["seq"] for entry in stream(client, game)]))
else:
    asked = list_options.sync(game, client=client).options
    first = next(option for option in asked if option.type_ not in {"end_turn", "mulligan"})
    seen = get_view.sync_detailed(game, client=client).headers["ETag"]
    turn = {"commands": [command(first, choose), {"type": "end_turn"}]}
    said = [each["status"] for each in send(client, game, 1, turn, seen)["commands"]]
    print(json.dumps({"seen": seen, "said": said, "stale": status({"type": "end_turn"}, seen)}))
