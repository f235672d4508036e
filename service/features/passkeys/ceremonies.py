"""The two ceremonies of WebAuthn, by the library `webauthn`: registering a passkey, and signing in with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

import orjson
from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, options_to_json_dict, parse_client_data_json
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    AuthenticatorTransport,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from domain.kernel.terms import PlayerId
from service.features.passkeys.storage import CHALLENGE_SECONDS, Passkey
from service.store.ports.accounts import Player

NAME = "Oracle Wheel"
LOCAL = "localhost"


class InvalidResponse(Exception):
    """The browser's response does not prove what it should. The message is for the log."""


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The service, as browsers and authenticators know it."""

    id: str
    """Its domain."""
    origin: str

    @staticmethod
    def from_url(url: str) -> RelyingParty | None:
        """The relying party at a public URL. None if browsers offer no passkeys there: without TLS, or without a domain."""
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        if not host or _is_address(host) or (parts.scheme != "https" and host != LOCAL):
            return None
        usual = {"https": 443, "http": 80}.get(parts.scheme)
        port = "" if parts.port in (None, usual) else f":{parts.port}"
        return RelyingParty(host, f"{parts.scheme}://{host}{port}")


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def registration_options(party: RelyingParty, player: Player, known: Sequence[Passkey]) -> tuple[bytes, dict[str, Any]]:
    """The challenge, and the options for ``navigator.credentials.create()``."""
    made = generate_registration_options(
        rp_id=party.id,
        rp_name=NAME,
        user_id=player.id.encode(),
        user_name=player.name,
        timeout=CHALLENGE_SECONDS * 1000,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=[
            PublicKeyCredentialDescriptor(each.credential_id, transports=_transports(each)) for each in known
        ],
    )
    return made.challenge, options_to_json_dict(made)


def authentication_options(party: RelyingParty) -> tuple[bytes, dict[str, Any]]:
    """The challenge, and the options for ``navigator.credentials.get()``: any passkey of the service will do."""
    made = generate_authentication_options(rp_id=party.id, timeout=CHALLENGE_SECONDS * 1000)
    return made.challenge, options_to_json_dict(made)


def challenge_of(response: Mapping[str, Any]) -> bytes:
    """The challenge that the browser says it signed. Raises `InvalidResponse`."""
    try:
        data = base64url_to_bytes(response["response"]["clientDataJSON"])
        if orjson.loads(data).get("crossOrigin"):
            raise InvalidResponse("the page was in a frame of another site")
        return parse_client_data_json(data).challenge
    except InvalidResponse:
        raise
    except Exception as error:  # the library raises many types for malformed input
        raise InvalidResponse("clientDataJSON is malformed") from error


def user_of(response: Mapping[str, Any]) -> PlayerId:
    """The account that the authenticator names. Raises `InvalidResponse`."""
    try:
        return PlayerId(base64url_to_bytes(response["response"]["userHandle"]).decode())
    except Exception as error:
        raise InvalidResponse("the user handle is missing or malformed") from error


def credential_of(response: Mapping[str, Any]) -> bytes:
    """The authenticator's id of the passkey. Raises `InvalidResponse`."""
    try:
        return base64url_to_bytes(response["id"])
    except Exception as error:
        raise InvalidResponse("the id is missing or malformed") from error


def verify_registration(
    party: RelyingParty, response: Mapping[str, Any], challenge: bytes, name: str, at: int
) -> Passkey:
    """The new passkey. Raises `InvalidResponse`."""
    try:
        made = verify_registration_response(
            credential=dict(response),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
        )
    except Exception as error:
        raise InvalidResponse(str(error)) from error
    told = response["response"].get("transports")
    transports = tuple(each.value for each in AuthenticatorTransport if isinstance(told, list) and each.value in told)
    return Passkey(made.credential_id, made.credential_public_key, made.sign_count, name, at, None, transports)


def verify_authentication(party: RelyingParty, response: Mapping[str, Any], challenge: bytes, passkey: Passkey) -> int:
    """The new sign count. Raises `InvalidResponse`, also if the count shows that the passkey was copied."""
    try:
        made = verify_authentication_response(
            credential=dict(response),
            expected_challenge=challenge,
            expected_rp_id=party.id,
            expected_origin=party.origin,
            credential_public_key=passkey.public_key,
            credential_current_sign_count=passkey.sign_count,
        )
    except Exception as error:
        raise InvalidResponse(str(error)) from error
    return made.new_sign_count


def _transports(passkey: Passkey) -> list[AuthenticatorTransport]:
    return [AuthenticatorTransport(each) for each in passkey.transports]
