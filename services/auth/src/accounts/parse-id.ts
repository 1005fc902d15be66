import { isUuid } from '@agentmesh/proto/uuid';

/** Parses the UUID of an account, or of something that an account has, into lower case, as it is stored. Undefined for other text. */
export function parseId(text: string): string | undefined {
  const id = text.toLowerCase();
  return isUuid(id) ? id : undefined;
}
