import { type Signal, signal } from '@preact/signals';

/** A conversation; one that has not begun has no session. */
export interface ChatPlace {
  readonly app: string;
  readonly user: string;
  readonly session?: string | undefined;
}

/** A message that is being written. */
export interface Unsent {
  readonly text: Signal<string>;
  readonly files: Signal<readonly File[]>;
}

const unsent = new Map<string, Unsent>();

const keyOf = ({ app, user, session = '' }: ChatPlace): string => JSON.stringify([app, user, session]);

/** The message that is being written there. It stays while another screen is shown, also that on which somebody signs in again. */
export function unsentAt(place: ChatPlace): Unsent {
  const found = unsent.get(keyOf(place)) ?? { text: signal(''), files: signal([]) };
  unsent.set(keyOf(place), found);
  return found;
}

/** The conversation has begun: the message that is being written belongs to its session from now on. */
export function moveUnsent(from: ChatPlace, to: ChatPlace): void {
  unsent.set(keyOf(to), unsentAt(from));
  unsent.delete(keyOf(from));
}
