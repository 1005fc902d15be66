import { McpFailure } from './connection/mcp-failure.ts';

/** Where the headers of a use come from. */
export interface HeaderSources {
  /** Header by key of the session's state. */
  readonly stateHeaders: Readonly<Record<string, string>>;
  /** Number of a saved key of the run's account: sent as bearer token. */
  readonly keyId?: bigint;
}

export interface HeaderUse {
  readonly accountId: string;
  /** Address that the headers are sent to. */
  readonly url: string;
  /** A value of the session's state. */
  readonly state: (key: string) => unknown;
}

/**
 * Returns the secret of a saved key of an account, to be sent to this address. Rejects with MeshError when there is no such key or it was saved for
 * another address.
 */
export type OpenToolKey = (key: { accountId: string; keyId: bigint; url: string }) => Promise<string>;

/** Returns the values of an agent's sealed headers. Rejects with MeshError when they were sealed for another account or address. */
export type OpenHeaders = (headers: {
  accountId: string;
  url: string;
  envelopes: Readonly<Record<string, string>>;
}) => Promise<Readonly<Record<string, string>>>;

const printable = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Collects the headers of one use. Keys that the state lacks send no header. */
export async function requestHeaders(
  { stateHeaders, keyId }: HeaderSources,
  { accountId, url, state }: HeaderUse,
  openKey: OpenToolKey,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [key, header] of Object.entries(stateHeaders)) {
    const value = state(key);
    if (value === undefined || value === null) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (text.length > 8_192 || !printable.test(text)) {
      throw new McpFailure(`The state key "${key}" cannot be sent as a header.`);
    }
    headers[header] = text;
  }
  if (keyId !== undefined) headers['authorization'] = `Bearer ${await openKey({ accountId, keyId, url })}`;
  return headers;
}
