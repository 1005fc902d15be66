/** End user of the chats that are shown, where it is not the usual one, and the session whose first message is edited in a new chat. */
export function userQuery(user: string, edits?: string): string {
  const values = new URLSearchParams({ ...(user !== 'user' && { user }), ...(edits !== undefined && { edits }) });
  return values.size === 0 ? '' : `?${values.toString()}`;
}
