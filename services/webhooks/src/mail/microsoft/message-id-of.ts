const lastSegment = /(?:^|\/)messages(?:\/([^/?#]+)|\('([^'/?#]+)'\))$/i;

/**
 * The id of a message in the resource path of a Graph notification, which is all there is without `resourceData`:
 * `Users/{user}/Messages/{id}`, `me/mailFolders('Inbox')/messages('{id}')`, in any case of `messages`. Undefined for another path. The
 * path itself is never requested.
 */
export function messageIdOf(resource: unknown): string | undefined {
  const [, plain, quoted] = typeof resource === 'string' ? (lastSegment.exec(resource) ?? []) : [];
  const id = plain ?? quoted;
  if (id === undefined) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return undefined;
  }
}
