/** Helpers for bots in addition to the generated types: retries with idempotency keys, resuming streams, and commands from options. */

import { EventSourceParserStream } from "eventsource-parser/stream";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./schema.js";

type Schemas = components["schemas"];
export type Command = Schemas["Command"];
export type Entry = Schemas["EventPage"]["events"][number];
export type Option = Schemas["Option"];
export type OpenParameter = Schemas["OpenParameter"];
export type Oracle = Client<paths>;

/** Statuses with which the server asks the client to try again later. */
const RETRY = [429, 503];
const ATTEMPTS = 6;
/** Milliseconds without data after which a connection is considered lost. A stream sends a comment every 15 seconds. */
const TIMEOUT = 60_000;

/** The server responded with a problem, such as a command that the rules refuse. Decide by `problem.code`. */
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

/** One attempt: the complete response, or the beginning of a stream. */
async function once(request: Request): Promise<Response> {
  if (streams(request)) return fetch(request.clone());
  const answer = await fetch(request.clone(), { signal: AbortSignal.timeout(TIMEOUT) });
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength ? body : null, answer);
}

/** Like `fetch`, but repeats a request if the response was lost, or if the server asks the client to try again later. */
async function retrying(request: Request): Promise<Response> {
  // With a key, a repeated POST takes effect once.
  if (request.method === "POST" && !request.headers.has("Idempotency-Key")) {
    request.headers.set("Idempotency-Key", crypto.randomUUID());
  }
  for (let left = ATTEMPTS - 1; ; left--) {
    try {
      const answer = await once(request);
      if (!RETRY.includes(answer.status) || !left) return answer;
      await sleep(1000 * (Number(answer.headers.get("Retry-After")) || 1));
    } catch (lost) {
      if (!left || request.signal.aborted) throw lost;
      await sleep(500);
    }
  }
}

/** A client of the server at a URL that repeats requests when needed. */
export function connect(url: string, token: string): Oracle {
  return createClient<paths>({ baseUrl: url, fetch: retrying, headers: { Authorization: `Bearer ${token}` } });
}

/** The body of a successful response. Throws `Refused` for a problem. */
export function good<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) throw new Refused(answer.response.status, answer.error as Refused["problem"]);
  return answer.data;
}

/** Sends a command or `{commands: […]}` and returns its outcome; `seen` is the ETag of the view that it is based on. Throws `Refused`. */
export async function send(
  client: Oracle,
  game: string,
  seat: number,
  body: Command | Schemas["CommandList"],
  seen?: string,
): Promise<Schemas["CommandOutcome"]> {
  const header = { "Idempotency-Key": crypto.randomUUID(), Prefer: "wait=10", ...(seen && { "If-Match": seen }) };
  for (let left = ATTEMPTS; ; left--) {
    const params = { path: { game }, query: { seat }, header };
    const answer = await client.POST("/v1/games/{game}/commands", { params, body });
    // 202: it is still queued. A request with the same key asks for its outcome.
    if (answer.response.status !== 202 || !left) return good(answer) as Schemas["CommandOutcome"];
  }
}

/** The command of an option, with a value that `choose` returns for each open parameter. */
export function command(option: Option, choose: (parameter: OpenParameter) => unknown): Command {
  const made: Command = { type: option.type, ...option.fixed };
  for (const parameter of option.open) {
    const value = choose(parameter);
    const before = made[parameter.name];
    // Several parameters with the same name form one list.
    made[parameter.name] = Array.isArray(before) ? before.concat(value) : value;
  }
  return made;
}

/** The entries of a game's history as they happen, until the game ends. Resumes after a lost connection. */
export async function* stream(client: Oracle, game: string, after = 0): AsyncGenerator<Entry> {
  for (let last = after; ; ) {
    const silence = new AbortController();
    const awake = () => setTimeout(() => silence.abort(), TIMEOUT);
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
