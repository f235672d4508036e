"""The classes that make deliveries, by kind of subscription."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from service.core.feature import load
from service.core.notifications.deliveries import DeliveryContext, DeliveryHandler
from service.features import FEATURES

HANDLERS: Mapping[str, Callable[[DeliveryContext], DeliveryHandler]] = {
    kind: load(code) for feature in FEATURES for kind, code in feature.deliveries.items()
}
