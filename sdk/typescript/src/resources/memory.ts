import type { Answer, Body } from '../records.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';
import type { SessionPlace } from './sessions.ts';

export type MemoryEntry = Answer<'readMemory'>['memories'][number];

/** Memory of the past sessions of a user. */
export class Memory {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The entries that fit the words of a query best. */
  async search(
    place: SessionPlace,
    query: string,
    { limit, signal }: ListOptions = {},
  ): Promise<readonly MemoryEntry[]> {
    const call = { path: pathOfMemory(place), query: { query, limit }, signal };
    return (await this.#transport.json<Answer<'readMemory'>>(call)).memories;
  }

  /** All entries, page by page. */
  list(place: SessionPlace, { signal, ...query }: ListOptions & { sessionId?: string } = {}): List<MemoryEntry> {
    const call = { path: pathOfMemory(place), query: { limit: 100, ...query }, signal };
    return listOf(this.#transport, call, ({ memories }: Answer<'readMemory'>) => memories);
  }

  /** Adds what is new in a session. */
  async add(place: SessionPlace, body: Body<'updateMemory'>, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'PATCH', path: pathOfMemory(place), body, ...options });
  }

  /** Deletes one entry. */
  async delete(place: SessionPlace, id: string, options?: CallOptions): Promise<void> {
    const path = route`/apps/${place.app}/users/${place.user}/memory/${id}`;
    await this.#transport.json({ method: 'DELETE', path, ...options });
  }
}

function pathOfMemory({ app, user }: SessionPlace): string {
  return route`/apps/${app}/users/${user}/memory`;
}
