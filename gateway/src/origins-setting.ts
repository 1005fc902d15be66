import { listOf } from '@agentmesh/lib/service';
import { EnvError } from 'envalid';

const origin = /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@\\]+$/i;

/** Comma-separated origins, `scheme://host[:port]`, or `*` for all, as browsers write them. */
export const origins = listOf(readOrigin);

function readOrigin(text: string): string {
  if (text === '*') return text;
  const url = origin.test(text) ? URL.parse(text) : null;
  if (url === null) throw new EnvError(`has ${JSON.stringify(text)}, which is no origin like https://app.example:8443`);
  // Only of schemes that every browser knows can the parser tell the origin.
  return url.origin === 'null' ? text.toLowerCase() : url.origin;
}
