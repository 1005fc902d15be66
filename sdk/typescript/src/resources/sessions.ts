import type { Body, Event, Run, Session } from '../records.ts';
import { type List, type ListOptions, listOf } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

/** The sessions of an end user with an app. */
export interface SessionPlace {
  readonly app: string;
  readonly user: string;
}

/** One session. */
export interface SessionName extends SessionPlace {
  readonly session: string;
}

export interface EventOptions extends ListOptions {
  /** From the oldest on, which is the default, or from the newest. */
  readonly order?: 'asc' | 'desc' | undefined;
}

/** Conversations of end users with apps. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Creates a session, with an id of its own or a given one, and with a state.
   *
   * @example
   * ```ts
   * const place = { app: 'echo', user: 'u1' };
   * const { id } = await mesh.sessions.create(place, { state: { city: 'Kiel' } });
   * const { state } = await mesh.sessions.update({ ...place, session: id }, { stateDelta: { city: 'Oslo' } });
   * console.log(state?.['city']); // Oslo
   * ```
   */
  async create(
    { app, user }: SessionPlace,
    { signal, idempotencyKey, ...body }: CallOptions & { sessionId?: string; state?: Record<string, unknown> } = {},
  ): Promise<Session> {
    const path = route`/apps/${app}/users/${user}/sessions`;
    return this.#transport.json({ method: 'POST', path, body, signal, idempotencyKey });
  }

  /** Without events and states. Newest first with `order: 'desc'`. */
  list({ app, user }: SessionPlace, { signal, ...query }: EventOptions = {}): List<Session> {
    const asked = { limit: 100, ...query };
    return listOf(this.#transport, { path: route`/apps/${app}/users/${user}/sessions`, query: asked, signal });
  }

  /** A session with its state and all its events. */
  async get(name: SessionName, options?: CallOptions): Promise<Session> {
    return this.#transport.json({ path: pathOf(name), ...options });
  }

  /** The events of a session, page by page. */
  events(name: SessionName, { signal, ...query }: EventOptions = {}): List<Event> {
    const call = { path: pathOf(name), query: { limit: 100, ...query }, signal };
    return listOf(this.#transport, call, ({ events }: Session) => events ?? []);
  }

  /** Changes the state. */
  async update(name: SessionName, body: Body<'updateSession'>, options?: CallOptions): Promise<Session> {
    return this.#transport.json({ method: 'PATCH', path: pathOf(name), body, ...options });
  }

  /** Deletes a session with its artifacts. */
  async delete(name: SessionName, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: pathOf(name), ...options });
  }

  /** Takes the session back to before a run. */
  async rewind(name: SessionName, rewindBeforeInvocationId: string, options?: CallOptions): Promise<Session> {
    return this.#transport.json({
      method: 'POST',
      path: `${pathOf(name)}/rewind`,
      body: { rewindBeforeInvocationId },
      ...options,
    });
  }

  /** Copies the session up to an event or to the end of a run. */
  async fork(name: SessionName, body: Body<'forkSession'>, options?: CallOptions): Promise<Session> {
    return this.#transport.json({ method: 'POST', path: `${pathOf(name)}/fork`, body, ...options });
  }

  /** Runs of the session, newest first. */
  runs(name: SessionName, { signal, ...query }: ListOptions = {}): List<Run> {
    return listOf(this.#transport, { path: `${pathOf(name)}/runs`, query, signal });
  }
}

/** Path of a session. */
export function pathOf({ app, user, session }: SessionName): string {
  return route`/apps/${app}/users/${user}/sessions/${session}`;
}
