import { isDeepStrictEqual } from 'node:util';
import type { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import type { Client } from '@connectrpc/connect';
import { unchanged } from '../definition/key-reference.ts';
import { type AgentFault, AgentFaults } from './agent-fault.ts';
import type { AgentFields } from './agent-fields.ts';
import type { McpServerField } from './mcp-servers.ts';

const encoder = new TextEncoder();
const mostOfValue = 8_192;
const tooLong = `must be at most ${mostOfValue} printable ASCII characters`;
const missing = 'there is no value to keep for this address: give the value';

/** Fields whose headers hold sealed values. */
export interface StoredFields {
  /** The fields as JSON. */
  readonly fields: string;
}

/** Encrypts values of headers for one address. */
export type SealHeaders = (headers: { accountId: string; url: string; values: Headers }) => Promise<Headers>;

/** Has values of headers sealed by the keys service. */
export function createSealHeaders(client: Pick<Client<typeof ToolKeysService>, 'sealHeaders'>): SealHeaders {
  return async (headers) => (await client.sealHeaders(headers, { timeoutMs: 10_000 })).envelopes;
}

/** Stored fields as they are answered: the values of headers of MCP servers are `__unchanged__`, because a vendor's header may hold a secret. */
export function shownFields(json: string): Uint8Array {
  if (!json.includes('"mcp_servers"')) return encoder.encode(json);
  const fields = JSON.parse(json) as AgentFields;
  return encoder.encode(JSON.stringify(mapServers(fields, (one) => withHeaders(one, hide(one.headers)))));
}

/** The fields without headers of MCP servers, for a file: a program that reads it would send `__unchanged__`. */
export function withoutHeaders(fields: AgentFields): AgentFields {
  return mapServers(fields, (server) => withHeaders(server, undefined));
}

/** Keeps the headers of the present agent where a file names the same server and no headers. */
export function keepHeaders(fields: AgentFields, present: StoredFields | undefined): AgentFields {
  const stored = serversOf(present);
  const pairs = storedServers(fields, present);
  const headersOf = (server: McpServerField, at: number) =>
    server.headers ?? hide((pairs[at] ?? stored.find(({ url }) => url === server.url))?.headers);
  return mapServers(fields, (server, at) => withHeaders(server, headersOf(server, at)));
}

/** Puts the stored values where fields have `__unchanged__`. A server with another address needs them again. Throws AgentFaults where there is none. */
export function keepHeaderValues(fields: AgentFields, stored: StoredFields | undefined): AgentFields {
  const faults: AgentFault[] = [];
  const pairs = storedServers(fields, stored);
  const kept = mapServers(fields, (server, at) => {
    if (server.headers === undefined) return server;
    const present = pairs[at]?.headers ?? {};
    const values = Object.entries(server.headers).map(([name, value]) => {
      if (value === unchanged && Object.hasOwn(present, name)) return [name, present[name] ?? ''] as const;
      const reason = value === unchanged ? missing : tooLong;
      if (value === unchanged || value.length > mostOfValue)
        faults.push({ path: ['mcp_servers', String(at), 'headers', name], reason });
      return [name, value] as const;
    });
    return withHeaders(server, Object.fromEntries(values));
  });
  if (faults.length > 0) throw new AgentFaults(faults);
  return kept;
}

/** Seals the values of `given` that `keepHeaderValues` has not taken from stored fields; `kept` is what it returned. */
export async function sealHeaderValues(
  seal: SealHeaders,
  { accountId, given, kept }: { accountId: string; given: AgentFields; kept: AgentFields },
): Promise<AgentFields> {
  const servers = kept.mcp_servers?.map(async (server, at) => {
    const fresh = Object.entries(given.mcp_servers?.[at]?.headers ?? {}).filter(([, value]) => value !== unchanged);
    if (fresh.length === 0) return server;
    const sealed = await seal({ accountId, url: server.url, values: Object.fromEntries(fresh) });
    return withHeaders(server, { ...server.headers, ...sealed });
  });
  return servers === undefined ? kept : { ...kept, mcp_servers: await Promise.all(servers) };
}

type Headers = Readonly<Record<string, string>>;

function serversOf(stored: StoredFields | undefined): readonly McpServerField[] {
  return (stored && (JSON.parse(stored.fields) as AgentFields).mcp_servers) ?? [];
}

/**
 * The stored server of each server that is given: the one with its address. Of several with one address it is the one with the same settings, else the only one
 * that is left; undefined where that is not clear, because a header may hold the secret of one of them.
 */
function storedServers({ mcp_servers: given = [] }: AgentFields, stored: StoredFields | undefined) {
  const all = serversOf(stored);
  const left = new Set(all);
  const same = given.map((server) => {
    const isAlike = (one: McpServerField): boolean => haveSameSettings(one, server);
    const alike = all.filter(isAlike).length;
    // Those that differ in their headers alone are told apart by their places, which are others when one was deleted or added.
    if (alike > 1 && alike !== given.filter(isAlike).length) return undefined;
    const found = left.values().find(isAlike);
    if (found !== undefined) left.delete(found);
    return found;
  });
  return given.map(({ url }, at) => {
    const isOfAddress = (one: McpServerField): boolean => one.url === url;
    const ofAddress = all.filter(isOfAddress);
    if (same[at] !== undefined || ofAddress.length < 2) return same[at] ?? ofAddress[0];
    const others = [...left].filter(isOfAddress);
    const rivals = given.filter((one, index) => isOfAddress(one) && same[index] === undefined);
    return others.length === 1 && rivals.length === 1 ? others[0] : undefined;
  });
}

function haveSameSettings(one: McpServerField, other: McpServerField): boolean {
  return isDeepStrictEqual(withHeaders(one, undefined), withHeaders(other, undefined));
}

function hide(headers: Headers | undefined): Headers | undefined {
  return headers && Object.fromEntries(Object.keys(headers).map((name) => [name, unchanged]));
}

function mapServers(fields: AgentFields, change: (server: McpServerField, at: number) => McpServerField): AgentFields {
  const { mcp_servers: servers } = fields;
  return servers === undefined ? fields : { ...fields, mcp_servers: servers.map(change) };
}

function withHeaders({ headers: _, ...server }: McpServerField, headers: Headers | undefined): McpServerField {
  return { ...server, ...(headers && { headers }) };
}
