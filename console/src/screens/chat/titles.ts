import { keep, kept } from '../../data/kept.ts';
import type { Thread } from './thread.ts';

const key = 'chat.titles';
const most = 300;

/** First words of chats, kept in this browser: the server's list of sessions has no words. */
function titles(): Record<string, string> {
  try {
    return JSON.parse(kept(key) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

export function titleOf(session: string): string | undefined {
  return titles()[session];
}

function keepTitle(session: string, text: string): void {
  const all = Object.entries({ ...titles(), [session]: text.trim().slice(0, 80) }).slice(-most);
  keep(key, JSON.stringify(Object.fromEntries(all)));
}

/** Names a conversation by the first words that are sent. */
export function nameThread({ place: { session }, events }: Thread, words: string): void {
  if (events.peek().length === 0 && titleOf(session) === undefined) keepTitle(session, words);
}
