// Web Push: whether this browser supports it, and its subscription. The permission is requested only after a click.

import { scriptUrl } from "../parts/trusted.js";
import { at, del, post } from "./client.js";

/** Why a browser cannot show push notifications, or null. @returns {string | null} */
export function hindrance() {
  if (!isSecureContext) return "Push notifications need HTTPS. This page was loaded over HTTP.";
  if (!("serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis)) return "This browser does not support push notifications. On a phone or tablet, add this site to the home screen first and open it there.";
  return Notification.permission === "denied" ? "This browser blocks notifications from this site. Allow them in the site settings of the browser, then reload this page." : null;
}

/** The subscription of this browser, if there is one. @returns {Promise<PushSubscription | null>} */
export async function subscription() {
  if (hindrance()) return null;
  const known = await navigator.serviceWorker.getRegistration("/");
  return (await known?.pushManager.getSubscription()) ?? null;
}

/** The id of a device, derived from the endpoint as in the API. @param {PushSubscription} known */
export async function deviceId(known) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(known.endpoint)));
  return "d" + Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("").slice(0, 24);
}

/**
 * Requests permission, subscribes, and registers the device. Call it from a click.
 * @param {string} key the service's, from `GET /v1/push`
 * @param {{label: string, reminders: boolean}} told
 * @returns {Promise<string | null>} the reason if it failed, as a sentence
 */
export async function subscribe(key, told) {
  const said = await Notification.requestPermission();
  if (said !== "granted") return hindrance() ?? "Notifications are still off because the browser was not allowed to show them.";
  await navigator.serviceWorker.register(scriptUrl("/sw.js"), { scope: "/" });
  const { pushManager } = await navigator.serviceWorker.ready;
  const before = await pushManager.getSubscription();
  if (before && written(before.options.applicationServerKey) !== key) await before.unsubscribe(); // of a key that the service has lost
  /** @type {PushSubscription} */
  let made;
  try {
    made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  } catch (refused) {
    return `The push service of this browser rejected the subscription: ${refused instanceof Error ? refused.message : refused}`;
  }
  const { endpoint, keys } = made.toJSON();
  await post("/v1/me/devices", { endpoint, keys: { p256dh: keys?.["p256dh"], auth: keys?.["auth"] }, ...told });
  return null;
}

/** Stops notifications in this browser, even without a session. */
export async function unsubscribe() {
  const known = await subscription();
  if (!known) return;
  await del(at`/v1/me/devices/${await deviceId(known)}`).catch(() => null); // the device may be deleted, or belong to another account
  await known.unsubscribe();
}

/** Encodes bytes as base64url. @param {ArrayBuffer | null} bytes */
function written(bytes) {
  return btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0)))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
