import { randomUUID } from 'node:crypto';
import type { EventJson, JsonObject } from '@agentmesh/proto/event';
import { createParser } from 'eventsource-parser';

export interface Answer<Body = JsonObject> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface SessionJson {
  id: string;
  appName: string;
  userId: string;
  state: JsonObject;
  events: EventJson[];
  lastUpdateTime: number;
}

/** A frame of `/run_sse`: an event, or the error that ended the run. */
export type Frame = EventJson & { error?: string };

/** Calls the mesh over HTTP as one account. */
export class Caller {
  readonly url: string;
  token: string | undefined;

  constructor(url: string, token?: string) {
    this.url = url;
    this.token = token;
  }

  /** Sends a request. A body that is not a string is sent as JSON. */
  async request<Body = JsonObject>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const response = await this.fetch(method, path, body);
    const text = await response.text();
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, headers: response.headers, body: parsed as Body };
  }

  fetch(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        ...(this.token !== undefined && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  }

  async createSession(app = 'echo', body?: unknown): Promise<SessionJson> {
    const answer = await this.request<SessionJson>('POST', `/apps/${app}/users/u1/sessions`, body);
    if (answer.status !== 200) throw new Error(`session not created: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async readSession(session: SessionJson): Promise<SessionJson> {
    return (await this.request<SessionJson>('GET', sessionPath(session))).body;
  }

  run(session: SessionJson, text: string, over: object = {}): Promise<Answer<EventJson[]>> {
    return this.request<EventJson[]>('POST', '/run', runBody(session, text, over));
  }

  /** Runs an agent and returns all frames of the stream. */
  async runSse(session: SessionJson, text: string, over: object = {}): Promise<Frame[]> {
    const frames: Frame[] = [];
    for await (const frame of this.stream(session, text, over)) frames.push(frame);
    return frames;
  }

  /** Runs an agent and yields each frame as it arrives. Leaving the loop early closes the connection. */
  async *stream(session: SessionJson, text: string, over: object = {}): AsyncGenerator<Frame> {
    const leaving = new AbortController();
    const response = await this.fetch('POST', '/run_sse', runBody(session, text, over), leaving.signal);
    if (response.status !== 200 || response.body === null)
      throw new Error(`${response.status} ${await response.text()}`);
    const frames: Frame[] = [];
    const parser = createParser({ onEvent: (event) => frames.push(JSON.parse(event.data) as Frame) });
    try {
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        parser.feed(chunk);
        yield* frames.splice(0);
      }
    } finally {
      leaving.abort();
    }
  }
}

/** Creates an account and signs in, with requests of `caller`. */
export async function newAccount(url: string, caller = new Caller(url)): Promise<Caller> {
  const email = `${randomUUID()}@example.com`;
  const password = 'correct horse battery';
  const made = await caller.request('POST', '/api/users/', { email, password, first_name: 'Ada', last_name: 'L' });
  if (made.status !== 201) throw new Error(`sign-up failed: ${made.status} ${JSON.stringify(made.body)}`);
  const signed = await caller.request<{ access_token: string }>('POST', '/api/auth/token', { email, password });
  caller.token = signed.body.access_token;
  return caller;
}

export function sessionPath({ appName, userId, id }: SessionJson): string {
  return `/apps/${appName}/users/${userId}/sessions/${id}`;
}

export function runBody({ appName, userId, id }: SessionJson, text: string, over: object = {}): object {
  return { appName, userId, sessionId: id, newMessage: { role: 'user', parts: [{ text }] }, ...over };
}

/** Reads a stream up to the first frame whose text contains this one, and returns that frame. The rest can still be read. */
export async function untilSaid(frames: AsyncIterator<Frame>, text: string): Promise<Frame> {
  for (;;) {
    const { done, value } = await frames.next();
    if (done === true) throw new Error(`the stream ended without ${text}`);
    if (textOf(value).includes(text)) return value;
  }
}

/** Joined text of an event's parts. */
export function textOf(event: EventJson | undefined): string {
  return (event?.content?.parts ?? []).map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}
