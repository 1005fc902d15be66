import { keep, kept } from './kept.ts';

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

/** Names a conversation by the first words that are sent. It keeps the name that it has. */
export function keepTitle(session: string, text: string): void {
  if (titleOf(session) !== undefined) return;
  const all = Object.entries({ ...titles(), [session]: text.trim().slice(0, 80) }).slice(-most);
  keep(key, JSON.stringify(Object.fromEntries(all)));
}
