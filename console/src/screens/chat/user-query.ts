import type { NewChat } from './unsent.ts';

/** End user of the chats that are shown, where it is not the usual one, and the message that is edited in a new chat. */
export function userQuery(user: string, { edits, after }: Pick<NewChat, 'edits' | 'after'> = {}): string {
  const values = new URLSearchParams({
    ...(user !== 'user' && { user }),
    ...(edits !== undefined && { edits }),
    ...(after !== undefined && { after }),
  });
  return values.size === 0 ? '' : `?${values.toString()}`;
}
