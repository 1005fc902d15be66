const key = 'chat.titles';
const most = 300;

/** First words of chats, kept in this browser: the server's list of sessions has no words. */
function titles(): Record<string, string> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, string>;
  } catch {
    return {};
  }
}

export function titleOf(session: string): string | undefined {
  return titles()[session];
}

export function keepTitle(session: string, text: string): void {
  const kept = Object.entries({ ...titles(), [session]: text.trim().slice(0, 80) }).slice(-most);
  localStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
}
