import { mesh } from '../../data/client.ts';
import { type Thread, threadOf } from './thread.ts';
import { keepTitle, titleOf } from './titles.ts';
import type { NewChat } from './unsent.ts';

/** Begins a conversation. */
export async function beginThread({ app, user }: NewChat): Promise<Thread> {
  const { id } = await mesh.sessions.create({ app, user });
  return threadOf({ app, user, session: id });
}

/** Names a conversation by the first words that are sent. */
export function nameThread({ place: { session }, events }: Thread, words: string): void {
  if (events.peek().length === 0 && titleOf(session) === undefined) keepTitle(session, words);
}
