import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventJson } from '@agentmesh/proto/event';
import { type Caller, runBody, type SessionJson, sessionPath } from '../../caller.ts';
import { newTold, type Told } from './book.ts';

/** A request without an answer for so long hangs. */
const hangingMs = 60_000;
const retryMs = 200;
/** Changes and runs until a writer begins another session. */
const turnsOfSession = 8;

/** Times as `performance.now()`. */
export interface Timed {
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The calls of all writers, and what they were told. */
export class Writers {
  /** Part of the runs whose model takes up to a second and a half. */
  readonly #slowRuns: number;
  readonly told = new Map<SessionJson, { readonly caller: Caller; readonly told: Told }>();
  readonly times: Timed[] = [];
  /** Answers with status 500, which says that nobody expected the error. */
  readonly unexpected: string[] = [];
  /** Answers by status; 0: the connection broke. */
  readonly statuses = new Map<number, number>();
  acknowledged = 0;
  runs = 0;
  hanging = 0;
  /** Requests that never got a certain answer. */
  unresolved = 0;
  #isOver = false;

  constructor(slowRuns: number) {
    this.#slowRuns = slowRuns;
  }

  /** Writes as `caller` until `stop`, with pauses of `pauseMs`. Sessions of one caller are used by all its writers. */
  async write(caller: Caller, random: () => number, pauseMs: number): Promise<void> {
    while (!this.#isOver) {
      const session = await this.#create(caller);
      for (let turn = 0; turn < turnsOfSession && !this.#isOver; turn += 1) {
        await this.#run(caller, this.#anySession(caller, random) ?? session, random);
        await sleep(random() * pauseMs);
        await this.#change(caller, session);
        await sleep(random() * pauseMs);
      }
    }
  }

  /** Writers end when what they have begun has a certain answer. */
  stop(): void {
    this.#isOver = true;
  }

  async #create(caller: Caller): Promise<SessionJson> {
    const id = randomUUID();
    const session = { id, appName: 'echo', userId: 'u1', state: {}, events: [], lastUpdateTime: 0 };
    const told = newTold();
    const body = { sessionId: id, state: { made: true } };
    // A repetition finds what the first request made.
    const status = await this.#untilCertain(
      caller,
      { method: 'POST', path: '/apps/echo/users/u1/sessions', body },
      [200, 409],
    );
    if (status !== undefined) told.changes.add('made');
    this.told.set(session, { caller, told });
    return session;
  }

  async #run(caller: Caller, session: SessionJson, random: () => number): Promise<void> {
    const wait = random() < this.#slowRuns ? ` [[wait:${Math.floor(random() * 1_500)}]]` : '';
    const text = randomUUID() + wait;
    const told = this.told.get(session)?.told;
    told?.runs.set(text, 'unknown');
    const request = { method: 'POST', path: '/run', body: runBody(session, text), key: randomUUID() };
    let events: EventJson[] = [];
    const status = await this.#untilCertain(caller, request, [200], (body) => (events = body as EventJson[]));
    if (status === undefined) return;
    this.runs += 1;
    const hasFailed = events.length === 0 || events.some(({ errorCode }) => errorCode !== undefined);
    told?.runs.set(text, hasFailed ? 'failed' : 'answered');
  }

  async #change(caller: Caller, session: SessionJson): Promise<void> {
    const key = randomUUID();
    const request = { method: 'PATCH', path: sessionPath(session), body: { stateDelta: { [key]: true } } };
    const status = await this.#untilCertain(caller, request, [200]);
    if (status !== undefined) this.told.get(session)?.told.changes.add(key);
  }

  #anySession(caller: Caller, random: () => number): SessionJson | undefined {
    const own = [...this.told].filter(([, known]) => known.caller === caller).slice(-4);
    return own[Math.floor(random() * own.length)]?.[0];
  }

  /** Repeats a request until its answer is one of `certain`. Undefined after a minute and a half of others. */
  async #untilCertain(
    caller: Caller,
    request: Request,
    certain: readonly number[],
    onBody?: (body: unknown) => void,
  ): Promise<number | undefined> {
    const giveUpAt = performance.now() + 90_000;
    while (performance.now() < giveUpAt) {
      const { status, body } = await this.#send(caller, request);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (status === 500) this.unexpected.push(`${request.path} ${JSON.stringify(body)}`);
      if (certain.includes(status)) {
        this.acknowledged += 1;
        onBody?.(body);
        return status;
      }
      await sleep(retryMs);
    }
    this.unresolved += 1;
    return undefined;
  }

  async #send(caller: Caller, { method, path, body, key }: Request): Promise<{ status: number; body?: unknown }> {
    const startedAt = performance.now();
    const signal = AbortSignal.timeout(hangingMs);
    const headers = {
      authorization: `Bearer ${caller.token}`,
      'content-type': 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    try {
      const answer = await fetch(caller.url + path, { method, headers, body: JSON.stringify(body), signal });
      return { status: answer.status, body: await answer.json() };
    } catch {
      if (signal.aborted) this.hanging += 1;
      return { status: 0 };
    } finally {
      this.times.push({ startedAt, endedAt: performance.now() });
    }
  }
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** `Idempotency-Key`. */
  readonly key?: string;
}
