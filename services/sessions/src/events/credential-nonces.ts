import { createHash } from 'node:crypto';

/** ADK's name of the function call with which an agent asks its client for a credential. */
const callName = 'adk_request_credential';
const mostNonces = 16;

/**
 * Hashes of the nonces with which an event asks for credentials: of every text named `nonce` in the arguments of its calls of
 * `adk_request_credential`, at most 16. Undefined for any other event.
 */
export function credentialNonces(json: string): readonly string[] | undefined {
  // True for most events, which are then not parsed.
  if (!json.includes(callName)) return undefined;
  const event = JSON.parse(json) as { content?: { parts?: unknown } };
  const parts = event.content?.parts;
  const found = new Set<string>();
  for (const part of Array.isArray(parts) ? parts : []) {
    const call: unknown = isObject(part) ? part.functionCall : undefined;
    if (isObject(call) && call.name === callName) addNonces(call.args, found);
  }
  return found.size === 0 ? undefined : [...found].slice(0, mostNonces).map(hashNonce);
}

/** Hash of a nonce, as it is stored and looked up. */
export function hashNonce(nonce: string): string {
  return createHash('sha256').update(nonce).digest('hex');
}

function addNonces(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key === 'nonce' && typeof child === 'string') found.add(child);
    else addNonces(child, found);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
