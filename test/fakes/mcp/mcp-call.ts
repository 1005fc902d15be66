import type { IncomingHttpHeaders } from 'node:http';
import { demand, type Fields, isObject, parseObject } from '../demand.ts';

/** `legacy`: sessions that `initialize` opens (revision 2025-11-25). `modern`: every request says all (revision 2026-07-28). */
export type Era = 'legacy' | 'modern';

/** A request or notification that keeps the rules of its era. */
export interface McpCall {
  /** Absent for a notification. */
  readonly id?: string | number;
  readonly method: string;
  readonly params: Fields;
  readonly headers: IncomingHttpHeaders;
}

export const modernRevision = '2026-07-28';
export const legacyRevision = '2025-11-25';
const meta = 'io.modelcontextprotocol/';
const notSupported = 'Unsupported protocol version';

/** Reads a POST. Throws a Refusal for one that breaks a rule of the transport. */
export function readCall(era: Era, headers: IncomingHttpHeaders, body: string): McpCall {
  demand(
    headers['content-type']?.startsWith('application/json') === true,
    'Content-Type must be application/json',
    415,
  );
  const accepted = headers.accept ?? '';
  const acceptsBoth = accepted.includes('application/json') && accepted.includes('text/event-stream');
  demand(acceptsBoth, 'Accept must name application/json and text/event-stream', 406);
  const message = parseObject(body, 'The body is not a JSON object');
  demand(message['jsonrpc'] === '2.0', 'jsonrpc must be 2.0');
  const { id, method, params = {} } = message;
  demand(typeof method === 'string', 'method is missing');
  demand(id === undefined || typeof id === 'string' || typeof id === 'number', 'id is neither text nor number');
  demand(isObject(params), 'params is not an object');
  if (era === 'modern') demandEnvelope(headers, method, params);
  return { ...(id !== undefined && { id }), method, params, headers };
}

function demandEnvelope(headers: IncomingHttpHeaders, method: string, params: Fields): void {
  const envelope = params['_meta'];
  demand(isObject(envelope), '_meta is missing');
  demand(envelope[`${meta}protocolVersion`] === modernRevision, notSupported);
  demand(headers['mcp-protocol-version'] === modernRevision, notSupported);
  demand(isObject(envelope[`${meta}clientInfo`]), 'clientInfo is missing');
  demand(isObject(envelope[`${meta}clientCapabilities`]), 'clientCapabilities is missing');
  demand(headers['mcp-method'] === method, 'Mcp-Method differs from the method');
}

/** Checks that a request of the older era belongs to the session. */
export function demandSession({ method, headers }: Pick<McpCall, 'method' | 'headers'>, session: string): void {
  if (method === 'initialize') return;
  demand(headers['mcp-session-id'] === session, 'Session not found', 404);
  demand(headers['mcp-protocol-version'] === legacyRevision, notSupported);
}
