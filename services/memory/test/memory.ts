import { randomUUID } from 'node:crypto';
import { createPgBus } from '@agentmesh/lib/bus';
import { fakeDeletions, preparedDatabase } from '@agentmesh/lib/service/testing';
import { MeshError, type MeshNode } from '@agentmesh/lib/rpc';
import { asDeclared } from '@agentmesh/lib/rpc/testing';
import { defineService, startProcess } from '@agentmesh/lib/service';
import { type Entry, MemoryService } from '@agentmesh/proto/memory/v1';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client, ServiceImpl } from '@connectrpc/connect';
import { memory } from '../src/index.ts';

/** An event of the tests: its text or its content, and other fields. */
export type Said = string | { readonly id?: string; readonly content?: unknown; readonly [key: string]: unknown };

export type SessionKey = ReturnType<typeof newKey>;

export interface TestMemory extends AsyncDisposable {
  readonly client: Client<typeof MemoryService>;
  /** The mesh as a service calls it. */
  readonly mesh: Pick<MeshNode, 'as'>;
  readonly sessions: HeldSessions;
  readonly databaseUrl: string;
  /** Announces that an account was deleted, as auth does. Resolves with the number of entries that the service erased. */
  erase(accountId: string): Promise<bigint | undefined>;
}

/** This service alone on a fresh database of a real PostgreSQL, or that of `DATABASE_URL`, beside sessions that the test holds. */
export async function startMemory(
  env: Record<string, string> = {},
  sessions: HeldSessions = new HeldSessions(),
): Promise<TestMemory> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await preparedDatabase(memory));
  const deletions = fakeDeletions();
  const process = resources.use(
    await startProcess({
      services: [deletions.service, sessions.service, memory],
      words: ['auth', 'sessions', 'memory'],
      env: { DATABASE_URL: database.url, OPS_PORT: '0', LOG_LEVEL: 'silent', ...env },
    }),
  );
  const bus = resources.use(await createPgBus({ url: database.url, log: process.log }));
  const opened = resources.move();
  return {
    client: asDeclared(process.mesh).client(MemoryService),
    mesh: process.mesh,
    sessions,
    databaseUrl: database.url,
    erase: async (accountId) => (await deletions.announce(bus, accountId)).counts['entries'],
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export function newKey(over: Partial<Record<'accountId' | 'appName' | 'userId' | 'sessionId', string>> = {}) {
  return { accountId: randomUUID(), appName: 'echo', userId: 'u1', sessionId: randomUUID(), ...over };
}

interface HeldSession {
  readonly pk: bigint;
  readonly events: { readonly id: string; readonly json: Uint8Array }[];
}

/** A fake of the sessions service that holds events in memory. */
class HeldSessions {
  /** Called before each page is answered. */
  beforePage: () => void | Promise<void> = () => undefined;
  /** Called when a page was read, before its caller has it. */
  afterPage: () => void | Promise<void> = () => undefined;
  pageSize = 500;
  pages = 0;
  readonly #held = new Map<string, HeldSession>();
  #lastPk = 0n;

  /** Appends events to a session, which is made if it is not there. */
  say(key: SessionKey, ...said: readonly Said[]): void {
    const held = this.#held.get(nameOf(key)) ?? { pk: ++this.#lastPk, events: [] };
    this.#held.set(nameOf(key), held);
    for (const one of said) {
      const event = typeof one === 'string' ? { content: { role: 'user', parts: [{ text: one }] } } : one;
      const id = event.id ?? randomUUID();
      held.events.push({ id, json: Buffer.from(JSON.stringify({ ...event, id })) });
    }
  }

  forget(key: SessionKey): void {
    this.#held.delete(nameOf(key));
  }

  readonly service = defineService({
    name: 'sessions',
    settings: {},
    start: async ({ mesh }) => {
      mesh.serve(SessionsService, { listEvents: this.#listEvents } as ServiceImpl<typeof SessionsService>);
      return {};
    },
  });

  readonly #listEvents: ServiceImpl<typeof SessionsService>['listEvents'] = async ({ session, afterSeq }) => {
    await this.beforePage();
    this.pages += 1;
    const held = session && this.#held.get(nameOf(session));
    if (held === undefined) throw new MeshError('not_found', 'session_not_found', 'Session not found');
    const events = held.events.slice(afterSeq, afterSeq + this.pageSize).map((event, index) => ({
      ...event,
      seq: afterSeq + index + 1,
      author: 'user',
      invocationId: 'e-1',
      timestamp: 12.5,
    }));
    const more = afterSeq + events.length < held.events.length;
    const page = { events, more, lastSeq: held.events.length, sessionPk: held.pk };
    await this.afterPage();
    return page;
  };
}

function nameOf({ accountId, appName, userId, sessionId }: SessionKey): string {
  return JSON.stringify([accountId, appName, userId, sessionId]);
}

/** The text of an entry's parts, joined. */
export function textOf({ contentJson }: Entry): string {
  const { parts } = JSON.parse(Buffer.from(contentJson).toString()) as { parts: { text?: string }[] };
  return parts.map(({ text }) => text ?? '').join(' ');
}

export async function search({ client }: TestMemory, memory: SessionKey, query: string, limit = 0): Promise<string[]> {
  const { entries } = await client.searchMemory({ memory, query, limit });
  return entries.map(textOf);
}
