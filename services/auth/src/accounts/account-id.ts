import { isUuid } from '@agentmesh/proto/uuid';

/** The id in the one spelling that is stored and announced, or undefined when it cannot name an account. */
export function parseAccountId(text: string): string | undefined {
  return parseId(text);
}

/** The same for the ids of what belongs to an account. */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase();
  return isUuid(id) ? id : undefined;
}
