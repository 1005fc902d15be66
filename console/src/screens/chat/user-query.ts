/** End user of the chats that are shown, where it is not the usual one. */
export function userQuery(user: string): string {
  return user === 'user' ? '' : `?user=${encodeURIComponent(user)}`;
}
