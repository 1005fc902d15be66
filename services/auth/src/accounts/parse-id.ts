import { isUuid } from '@agentmesh/proto/uuid';

/** The id of an account, or of something that an account has, in lower case as it is stored. Undefined for text that is no UUID. */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase();
  return isUuid(id) ? id : undefined;
}
