import { randomUUID } from 'node:crypto';
import { preparedDatabase } from '@agentmesh/lib/service/testing';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { startProcess } from '@agentmesh/lib/service';
import { completeActions, type EventJson, type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { afterAll, beforeAll, expect } from 'vitest';
import { sessions } from '../src/index.ts';

export type SessionsClient = Client<typeof SessionsService>;

export interface RunningSessions {
  readonly client: SessionsClient;
  readonly databaseUrl: string;
  settle(): Promise<void>;
}

export interface TestSessions extends RunningSessions, AsyncDisposable {}

/** Where another replica has its rows. */
type Replica = Pick<RunningSessions, 'databaseUrl'>;

/** This service alone, on a fresh database of a real PostgreSQL, or beside a replica on the same database. */
export async function startSessions(env: Record<string, string> = {}, replica?: Replica): Promise<TestSessions> {
  const database =
    replica === undefined
      ? await preparedDatabase(sessions)
      : { url: replica.databaseUrl, [Symbol.asyncDispose]: () => Promise.resolve() };
  const process = await startProcess({
    services: [sessions],
    words: ['sessions'],
    env: { DATABASE_URL: database.url, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env },
  });
  return {
    client: asDeclared(process.mesh).client(SessionsService),
    databaseUrl: database.url,
    settle: () => process.settle(),
    [Symbol.asyncDispose]: async () => {
      await process[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** This service for all tests of a file, on a database like `startSessions`. It can be used while the tests run. */
export function startSessionsForFile(env: Record<string, string> = {}, replica?: Replica): RunningSessions {
  let started: TestSessions | undefined;
  beforeAll(async () => {
    started = await startSessions(env, replica);
  });
  afterAll(() => started?.[Symbol.asyncDispose]());
  const running = () => started ?? expect.fail('sessions is not started');
  return {
    get client() {
      return running().client;
    },
    get databaseUrl() {
      return running().databaseUrl;
    },
    settle: () => running().settle(),
  };
}

export function newKey(over: Partial<Record<'accountId' | 'appName' | 'userId' | 'sessionId', string>> = {}) {
  return { accountId: randomUUID(), appName: 'echo', userId: 'u1', sessionId: randomUUID(), ...over };
}

/** A request that begins a turn with a text message. */
export function beginWith(session: ReturnType<typeof newKey>, text: string, over: object = {}) {
  const messageJson = json({ role: 'user', parts: [{ text }] });
  return { session, messageJson, owner: 'executor-1', window: 20, ...over };
}

/** An agent's whole event. */
export function agentEvent(invocationId: string, text: string, stateDelta: JsonObject = {}): WireEvent {
  const event: EventJson = {
    id: randomUUID(),
    author: 'agent',
    invocationId,
    timestamp: Date.now() / 1000,
    content: { role: 'model', parts: [{ text }] },
    actions: completeActions({ stateDelta }),
  };
  return toWireEvent(event);
}

export function json(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

export function parse<T = EventJson>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

/** A session with all its events, parsed. */
export async function readSession(
  client: SessionsClient,
  session: ReturnType<typeof newKey>,
  filter: { numRecentEvents?: number; afterTimestamp?: number } = {},
) {
  const events: EventJson[] = [];
  let state: JsonObject = {};
  let lastUpdateTime = 0;
  for await (const page of client.getSession({ session, ...filter })) {
    if (page.session) {
      state = parse<JsonObject>(page.session.stateJson);
      lastUpdateTime = page.session.lastUpdateTime;
    }
    events.push(...page.events.map((bytes) => parse(bytes)));
  }
  return { state, events, lastUpdateTime };
}

/** The text of an event's first part. */
export function textOf(event: EventJson): string {
  const text = event.content?.parts?.[0]?.text;
  return typeof text === 'string' ? text : '';
}
