import { resolve } from 'node:path';
import { type AddressPolicy, checkApiBase, createAddressPolicy, OutboundError } from '@agentmesh/lib/outbound';
import { connectionKeys, type HttpParams, type McpArgs } from './mcp-args.ts';
import type { McpServer } from './connection/mcp-server.ts';

export interface ArgRules {
  /** Addresses that servers may have. */
  readonly policy: AddressPolicy;
  /** Whether the file may start programs, and write secrets into headers: files of the operator may, agents of accounts may not. */
  readonly isTrusted: boolean;
}

/** A mistake in `args`. */
export interface ArgMistake {
  readonly path: readonly string[];
  readonly reason: string;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
const printable = /^[\t\x20-\x7e]*$/;
const mostOfValue = 8_192;
/** Values of agents of accounts are sealed, which makes them longer. */
const mostOfSealed = 12_288;
const ownHeaders = /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|accept|mcp-.*)$/i;
const secretHeaders = /^(?:authorization|proxy-authorization|cookie)$/i;
const usualSeconds = 5;
/** For programs: `npx` and the like download them at their first start. */
const usualStartSeconds = 60;

/** Mistakes of `args` that fit their schema. */
export function checkMcpArgs(args: McpArgs, rules: ArgRules): ArgMistake[] {
  const given = connectionKeys.filter((key) => args[key] !== undefined);
  const [key] = given;
  if (key === undefined || given.length > 1) {
    return [{ path: [], reason: `must have exactly one of ${connectionKeys.join(', ')}` }];
  }
  const http = httpParams(args);
  if (http === undefined) {
    const reason = 'is only for files of AGENTS_DIR: name a server by its URL';
    return rules.isTrusted ? [] : [{ path: [key], reason }];
  }
  return [
    ...checkUrl(http.url, rules.policy).map((reason) => ({ path: [key, 'url'], reason })),
    ...checkHeaders(http.headers, rules).map(({ path, reason }) => ({ path: [key, ...path], reason })),
    ...checkStateHeaders(args.state_header_mapping),
  ];
}

/** Mistakes of a map `headers`. */
export function checkHeaders(headers: Readonly<Record<string, string>> = {}, { isTrusted }: ArgRules): ArgMistake[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    checkHeader({ name, value, isTrusted }).map((reason) => ({ path: ['headers', name.slice(0, 80)], reason })),
  );
}

/** Mistakes of a map `state_header_mapping`. */
export function checkStateHeaders(mapping: Readonly<Record<string, string>> = {}): ArgMistake[] {
  return Object.entries(mapping).flatMap(([key, name]) => {
    const reasons = checkHeader({ name, value: '', isTrusted: true });
    return reasons.map((reason) => ({ path: ['state_header_mapping', key.slice(0, 80)], reason }));
  });
}

/** Reads the server of `args` without mistakes. Relative folders of programs begin in `folder`. */
export function readMcpServer(args: McpArgs, folder: string | undefined): McpServer {
  const http = httpParams(args);
  if (http !== undefined) {
    const kind = args.sse_connection_params === undefined ? 'streamable_http' : 'sse';
    const { url, headers = {}, timeout = usualSeconds } = http;
    return { kind, url, headers, timeoutMs: millisecondsOf(timeout) };
  }
  const { stdio_connection_params: params, stdio_server_params: bare } = args;
  const { command = '', args: words = [], env = {}, cwd } = params?.server_params ?? bare ?? {};
  const place = folder === undefined ? cwd : resolve(folder, cwd ?? '.');
  const timeoutMs = millisecondsOf(params?.timeout ?? usualSeconds);
  const startMs = millisecondsOf(params?.timeout ?? usualStartSeconds);
  return { kind: 'stdio', command, args: words, env, timeoutMs, startMs, ...(place !== undefined && { cwd: place }) };
}

/** A timeout takes whole milliseconds only. */
function millisecondsOf(seconds: number): number {
  return Math.ceil(seconds * 1_000);
}

function httpParams(args: McpArgs): HttpParams | undefined {
  return args.streamable_http_connection_params ?? args.sse_connection_params;
}

/** Says what is wrong with the address of a server. A host name is resolved with each connection, not here. */
export function checkUrl(url: string, policy: AddressPolicy): string[] {
  try {
    checkApiBase(url.replace(/\?.*$/s, ''), policy);
    return URL.canParse(url) ? [] : ['is not a URL'];
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return [`${error.message}${canBePermitted(url) ? ' RUNS_MCP_ALLOW can permit its host.' : ''}`];
  }
}

/** Whether the address could be used if the setting named its host: metadata services, for example, can never be. */
function canBePermitted(url: string): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  try {
    checkApiBase(url.replace(/\?.*$/s, ''), createAddressPolicy([host]));
    return true;
  } catch {
    return false;
  }
}

interface GivenHeader {
  readonly name: string;
  readonly value: string;
  readonly isTrusted: boolean;
}

function checkHeader({ name, value, isTrusted }: GivenHeader): string[] {
  if (!headerName.test(name)) return ['is not the name of a header'];
  if (ownHeaders.test(name)) return ['is a header of the protocol itself'];
  if (value.length > (isTrusted ? mostOfValue : mostOfSealed) || !printable.test(value)) {
    return [`must be at most ${mostOfValue} printable ASCII characters`];
  }
  return isTrusted || !secretHeaders.test(name) ? [] : ['holds a secret: save the key, and name it as api_key'];
}
