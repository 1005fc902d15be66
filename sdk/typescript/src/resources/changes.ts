import { follow } from '../streams/follow.ts';
import type { CallOptions } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

/** Something of the account was added, changed or removed: its kind and its id, which for a wait is the run's. */
export interface Change {
  readonly kind: 'run' | 'wait' | 'notification' | 'agent' | 'schedule';
  readonly id: string;
  readonly op: 'added' | 'changed' | 'removed';
  /** App of the session, for a run and a wait, as the next two. Runs of several sessions may have one id. */
  readonly app_name?: string;
  readonly user_id?: string;
  readonly session_id?: string;
  readonly gap?: undefined;
}

/** An item of a stream of changes: a change, or the note that there may be unknown ones. Read again what you show then. */
export type ChangeEvent = Change | { readonly gap: true };

/** Changes in the account, for programs that show it. */
export class Changes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Begins with a gap; afterwards a gap comes only where changes are unknown, as after a long break of the connection. */
  async *stream({ signal }: Pick<CallOptions, 'signal'> = {}): AsyncGenerator<ChangeEvent> {
    for await (const { event, data } of follow(this.#transport, { path: '/api/changes', signal })) {
      if (event === 'gap') yield { gap: true };
      if (event === 'message') yield JSON.parse(data) as Change;
    }
  }
}
