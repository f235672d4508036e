/** What a bot needs beside the generated types: retries, keys for them, a stream that resumes, and commands from options. */

import { EventSourceParserStream } from "eventsource-parser/stream";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
export type Command = Schemas["Command"];
export type Entry = Schemas["EventPage"]["events"][number];
export type Option = Schemas["Option"];
export type OpenParameter = Schemas["OpenParameter"];
export type Oracle = Client<paths>;

/** What the server answers to whom it asks to come back later. */
const AGAIN = [429, 503];
const TRIES = 6;
/** Milliseconds within which an answer comes, or the next sign of life of a stream (there is one every 15 seconds). */
const PATIENCE = 60_000;

/** An answer that is no success, with the problem that the server told. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: Partial<Schemas["Problem"]>,
  ) {
    super(`${status} ${problem.code}: ${problem.detail ?? problem.title}`);
  }
}

const sleep = (milliseconds: number) => new Promise((wake) => setTimeout(wake, milliseconds));
const streams = (request: Request) => request.headers.get("Accept") === "text/event-stream";

/** One try: the whole answer, or of a stream its beginning. */
async function once(request: Request): Promise<Response> {
  if (streams(request)) return fetch(request.clone());
  const answer = await fetch(request.clone(), { signal: AbortSignal.timeout(PATIENCE) });
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength ? body : null, answer);
}

/** Like `fetch`, but asks again when the answer was lost, or when the server says to come back later. */
async function persistent(request: Request): Promise<Response> {
  // With a key of its own a POST has one effect, however often it is sent.
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
    request.headers.set("Idempotency-Key", crypto.randomUUID());
  }
  for (let left = TRIES - 1; ; left--) {
    try {
      const answer = await once(request);
      if (!AGAIN.includes(answer.status) || !left) return answer;
      await sleep(1000 * (Number(answer.headers.get("Retry-After")) || 1));
    } catch (lost) {
      if (!left || request.signal.aborted) throw lost;
      await sleep(500);
    }
  }
}

/** A client of the server at a URL that sends again what may be sent again. */
export function connect(url: string, token: string): Oracle {
  return createClient<paths>({ baseUrl: url, fetch: persistent, headers: { Authorization: `Bearer ${token}` } });
}

/** What was answered; throws `Refused` where it is a problem. */
export function good<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) throw new Refused(answer.response.status, answer.error as Refused["problem"]);
  return answer.data;
}

/** What a command, or `{commands: […]}`, came to; `seen` is the ETag of the view that it stands on. Throws `Refused`. */
export async function send(
  client: Oracle,
  game: string,
  seat: number,
  said: Command | Schemas["CommandList"],
  seen?: string,
): Promise<Schemas["CommandOutcome"]> {
  const header = { "Idempotency-Key": crypto.randomUUID(), Prefer: "wait=10", ...(seen && { "If-Match": seen }) };
  for (let left = TRIES; ; left--) {
    const params = { path: { game }, query: { seat }, header };
    const answer = await client.POST("/v1/games/{game}/commands", { params, body: said });
    // 202: it still waits. The same key asks what has become of it.
    if (answer.response.status !== 202 || !left) return good(answer) as Schemas["CommandOutcome"];
  }
}

/** The command that an option stands for, with what `choose` says of each of its open parts. */
export function command(option: Option, choose: (part: OpenParameter) => unknown): Command {
  const said: Command = { type: option.type, ...option.fixed };
  for (const part of option.open) {
    const value = choose(part);
    const before = said[part.name];
    said[part.name] = Array.isArray(before) ? before.concat(value) : value;
  }
  return said;
}

/** The entries of a game's history as they happen, to its end; a stream that breaks is resumed where it broke. */
export async function* stream(client: Oracle, game: string, after = 0): AsyncGenerator<Entry> {
  for (let last = after; ; ) {
    const silence = new AbortController();
    const awake = () => setTimeout(() => silence.abort(), PATIENCE);
    let timer = awake();
    try {
      const answer = await client.GET("/v1/games/{game}/events", {
        params: { path: { game }, header: { "Last-Event-ID": String(last) } },
        headers: { Accept: "text/event-stream" },
        parseAs: "stream",
        signal: silence.signal,
      });
      if (answer.response.status === 204) return;
      const heard = new TransformStream<string, string>({
        transform(part, on) {
          clearTimeout(timer);
          timer = awake();
          on.enqueue(part);
        },
      });
      const text = good(answer)!.pipeThrough(new TextDecoderStream());
      for await (const message of text.pipeThrough(heard).pipeThrough(new EventSourceParserStream())) {
        const told = JSON.parse(message.data);
        if (message.event) throw new Refused(told.status, told);
        last = Number(message.id);
        yield told;
      }
    } catch (broken) {
      if (broken instanceof Refused) throw broken;
      await sleep(1000);
    } finally {
      clearTimeout(timer);
    }
  }
}
