// Passkeys: the browser's part of adding one, and of signing in with one.

import { post } from "../api/client.js";
import { Notice } from "./problem.js";

/** Whether this browser can use passkeys. */
export const canUsePasskeys = () => typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;

/** Adds a passkey to the account. @param {string} name */
export async function addPasskey(name) {
  const { publicKey } = (await post("/v1/me/passkeys/options", {})).data;
  const made = await ask(() => navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) }));
  await post("/v1/me/passkeys", { name, credential: made });
}

/** Signs in with a passkey that the reader chooses. Returns the response. */
export async function usePasskey() {
  const { publicKey } = (await post("/v1/sign-in/passkey/options", {}, { token: "" })).data;
  const made = await ask(() => navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) }));
  return (await post("/v1/sign-in/passkey", { credential: made, session: true }, { token: "" })).data;
}

/** @param {() => Promise<Credential | null>} act */
async function ask(act) {
  try {
    const made = await act();
    if (made instanceof PublicKeyCredential) return made.toJSON();
  } catch (error) {
    if (error instanceof DOMException && error.name === "InvalidStateError") throw new Notice("This device has a passkey for this account already.");
    if (!(error instanceof DOMException)) throw error;
  }
  throw new Notice("No passkey was used: the browser's window was closed, or there is no passkey for this site.");
}
