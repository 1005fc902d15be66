import { type Signal, signal } from '@preact/signals';

/** A message that is being written. */
export interface Unsent {
  readonly text: Signal<string>;
  readonly files: Signal<readonly File[]>;
}

/** A conversation that has not begun. */
export interface NewChat {
  readonly app: string;
  readonly user: string;
  /** The session of which a message is edited. The edit is written apart from the new chat's message. */
  readonly edits?: string | undefined;
  /** Id of the event before that message, up to which the chat begins as a copy. The first message has none. */
  readonly after?: string | undefined;
}

/** Messages of conversations that have not begun; that of another belongs to its thread. */
const unsent = new Map<string, Unsent>();

const keyOf = ({ app, user, edits, after }: NewChat): string => JSON.stringify([app, user, edits, after]);

export function nothingUnsent(): Unsent {
  return { text: signal(''), files: signal([]) };
}

/** The message of the new chat. It stays while another screen is shown, also that on which somebody signs in again. */
export function unsentOf(chat: NewChat): Unsent {
  const found = unsent.get(keyOf(chat)) ?? nothingUnsent();
  unsent.set(keyOf(chat), found);
  return found;
}

/** The same for the thread that the chat has become. The next new chat begins without it. */
export function takeUnsent(chat: NewChat): Unsent {
  const taken = unsentOf(chat);
  unsent.delete(keyOf(chat));
  return taken;
}
