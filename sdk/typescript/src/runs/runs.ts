import type { Answer, Body, Content, Query, Run } from '../records.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';
import { type Answers, areComplete, namedAnswers } from './answers.ts';
import type { RunLogOptions } from './run-log.ts';
import { idOf, type NamedRun, placeOf } from './named-run.ts';
import { RunStream } from './run-stream.ts';

type Request = Body<'startRun'>;

/** Characters of an `Idempotency-Key`. */
const longestKey = 200;
/** End of the key of the session that belongs to a run with a key. */
const ofSession = '-session';

/** The message to an agent, and how the run is made. */
export interface RunRequest
  extends CallOptions,
    Partial<Pick<Request, 'customMetadata' | 'multitask' | 'stateDelta' | 'webhook'>> {
  /** Name of the app, such as `echo`. */
  readonly app: string;
  /** The end user whose session it is. */
  readonly user: string;
  /** Id of an existing session; absent: a new one. */
  readonly session?: string | undefined;
  /** The message. */
  readonly text?: string | undefined;
  /** The message where it is more than a text, in place of `text`. */
  readonly message?: Content | undefined;
  /** Whether there are partial events while the model answers; true by default for a stream. */
  readonly streaming?: boolean | undefined;
}

/** Options of watching a run. */
export interface WatchOptions extends Pick<RunLogOptions, 'after' | 'onQueued' | 'signal'> {}

type RunQuery = Omit<Query<'listRuns'>, 'cursor' | 'limit'>;

export type RunFilter = ListOptions & { readonly [Name in keyof RunQuery]?: RunQuery[Name] | undefined };

/** Runs of agents. Verbs for one run take its id, or its record: see `NamedRun`. */
export class Runs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Starts a run and watches it. The request is sent at once; its failure is thrown where the stream is read.
   *
   * @example
   * ```ts
   * const run = mesh.runs.stream({ app: 'echo', user: 'u1', text: 'Hello, docs' });
   * for await (const event of run) if (event.gap === undefined && event.partial !== true) console.log(event.author);
   * // user
   * // echo
   * console.log((await run.final()).text); // Hello, docs
   * ```
   */
  stream(request: RunRequest & Pick<WatchOptions, 'onQueued'>): RunStream {
    const { signal, onQueued } = request;
    const run = this.start({ streaming: true, ...request });
    return new RunStream(this, { transport: this.#transport, run, signal, onQueued });
  }

  /** Watches a run that exists, from its beginning or behind the event `after`. */
  watch(run: NamedRun, options: WatchOptions = {}): RunStream {
    return new RunStream(this, { transport: this.#transport, run: Promise.resolve(run), ...options });
  }

  /**
   * Starts a run that nobody watches.
   *
   * @example
   * ```ts
   * const { invocationId } = await mesh.runs.start({ app: 'echo', user: 'u1', text: 'Hello' });
   * console.log((await mesh.runs.wait(invocationId, { seconds: 30 })).status); // completed
   * ```
   */
  async start({
    app,
    user,
    session,
    text,
    message,
    signal,
    idempotencyKey,
    ...rest
  }: RunRequest): Promise<Answer<'startRun'>> {
    const sessionId = session ?? (await this.#newSession({ app, user, signal, idempotencyKey }));
    const newMessage = message ?? { role: 'user', parts: [{ text: text ?? '' }] };
    const { streaming = false, customMetadata, multitask, stateDelta, webhook } = rest;
    const options = { streaming, customMetadata, multitask, stateDelta, webhook };
    const body = { appName: app, userId: user, sessionId, newMessage, ...options };
    return this.#transport.json({ method: 'POST', path: '/runs', body, signal, idempotencyKey });
  }

  /** The record of a run. */
  async get(run: NamedRun, options?: CallOptions): Promise<Run> {
    return this.#transport.json({ path: route`/runs/${idOf(run)}`, query: placeOf(run), ...options });
  }

  /** Answers the record when the run is over or waits for a person, else after some seconds as it is then. */
  async wait(run: NamedRun, { seconds, ...options }: CallOptions & { readonly seconds?: number } = {}): Promise<Run> {
    return this.#transport.json({
      path: route`/runs/${idOf(run)}/wait`,
      query: { seconds, ...placeOf(run) },
      ...options,
    });
  }

  /** When its agents, models and tools were at work: within a second after an attempt has ended. */
  async trace(run: NamedRun, options?: CallOptions): Promise<Answer<'getRunTrace'>> {
    return this.#transport.json({ path: route`/runs/${idOf(run)}/trace`, query: placeOf(run), ...options });
  }

  /** The lines that code of its app has printed, and the warnings of the server: within a second, also while it goes on. */
  async log(run: NamedRun, options?: CallOptions): Promise<Answer<'getRunLog'>> {
    return this.#transport.json({ path: route`/runs/${idOf(run)}/log`, query: placeOf(run), ...options });
  }

  /** Runs of the account, newest first. */
  list({ signal, ...query }: RunFilter = {}): List<Run> {
    return listOf(this.#transport, { path: '/runs', query, signal });
  }

  /** Runs that wait for a person: for an approval, an input, or the result of a long-running tool. */
  inbox(filter: Omit<RunFilter, 'status'> = {}): List<Run> {
    return this.list({ ...filter, status: 'waiting' });
  }

  /** Stops a run and keeps its text so far. A run that is over stays as it is. */
  async cancel(run: NamedRun, options?: CallOptions): Promise<Run> {
    return this.#transport.json({
      method: 'POST',
      path: route`/runs/${idOf(run)}/cancel`,
      query: placeOf(run),
      body: {},
      ...options,
    });
  }

  /** Adds a message to a run that is not over. */
  async steer(run: NamedRun, message: string | Content, options?: CallOptions): Promise<Run> {
    const newMessage = typeof message === 'string' ? { role: 'user', parts: [{ text: message }] } : message;
    return this.#transport.json({
      method: 'POST',
      path: route`/runs/${idOf(run)}/messages`,
      query: placeOf(run),
      body: { newMessage },
      ...options,
    });
  }

  /** Answers what a run waits for; see `RunStream.answer`. The second of two answers to one call is a RunNotWaitingError. */
  async answer(run: NamedRun, answers: Answers, record?: Run, options?: CallOptions): Promise<Run> {
    const known = areComplete(answers) || record !== undefined ? record : await this.get(run, options);
    const functionResponses = namedAnswers(answers, known ?? ({} as Run));
    return this.#transport.json({
      method: 'POST',
      path: route`/runs/${idOf(run)}/answer`,
      query: placeOf(run) ?? (known && placeOf(known)),
      body: { functionResponses },
      ...options,
    });
  }

  /** Messages to the webhook of a run, and what became of them. */
  async webhookDeliveries(run: NamedRun): Promise<Answer<'listRunWebhookDeliveries'>> {
    return this.#transport.json({ path: route`/runs/${idOf(run)}/webhook/deliveries`, query: placeOf(run) });
  }

  /** Sends a message to the webhook of a run again. */
  async resendWebhook(run: NamedRun, delivery: string | number): Promise<Answer<'resendRunWebhookDelivery'>> {
    const path = route`/runs/${idOf(run)}/webhook/deliveries/${delivery}/resend`;
    return this.#transport.json({ method: 'POST', path, query: placeOf(run) });
  }

  /** A repetition of a run has the session of the first request: the session belongs to what must be the same. */
  async #newSession({ app, user, signal, idempotencyKey: key }: RunRequest): Promise<string> {
    const path = route`/apps/${app}/users/${user}/sessions`;
    const idempotencyKey = key && (await sessionKeyOf(key));
    return (await this.#transport.json<{ id: string }>({ method: 'POST', path, body: {}, signal, idempotencyKey })).id;
  }
}

/** The key of the session of a run with this key. One that leaves no room for the end is hashed: cut, it could be that of another run. */
async function sessionKeyOf(key: string): Promise<string> {
  if (key.length + ofSession.length <= longestKey) return `${key}${ofSession}`;
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key));
  return `${btoa(String.fromCharCode(...new Uint8Array(hash)))}${ofSession}`;
}
