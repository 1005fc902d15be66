import { mesh } from '../../data/client.ts';
import { type Thread, threadOf } from './thread.ts';
import { keepTitle } from './titles.ts';
import type { NewChat } from './unsent.ts';

/** Begins a conversation, which has its first words as its name. */
export async function beginThread({ app, user }: NewChat, words: string): Promise<Thread> {
  const { id } = await mesh.sessions.create({ app, user });
  const thread = threadOf({ app, user, session: id });
  keepTitle(id, words);
  return thread;
}
