import type { AgentRow } from '../../store/agents.ts';
import { unchanged } from '../definition/key-reference.ts';
import { type AgentFault, AgentFaults } from './agent-fault.ts';
import type { AgentFields } from './agent-fields.ts';
import type { McpServerField } from './mcp-servers.ts';

const encoder = new TextEncoder();

/** Stored fields as they are answered: the values of headers of MCP servers are `__unchanged__`, because a vendor's header may hold a secret. */
export function shownFields(json: string): Uint8Array {
  if (!json.includes('"mcp_servers"')) return encoder.encode(json);
  const fields = JSON.parse(json) as AgentFields;
  const hide = (headers: object) => Object.fromEntries(Object.keys(headers).map((name) => [name, unchanged]));
  return encoder.encode(
    JSON.stringify(mapServers(fields, (one) => withHeaders(one, one.headers && hide(one.headers)))),
  );
}

/** The fields without headers of MCP servers, for a file: a program that reads it would send `__unchanged__`. */
export function withoutHeaders(fields: AgentFields): AgentFields {
  return mapServers(fields, (server) => withHeaders(server, undefined));
}

/** Puts the headers of the present agent where a file names the same server and no headers. */
export function keepHeaders(fields: AgentFields, present: AgentRow | undefined): AgentFields {
  return mapServers(fields, (server) => withHeaders(server, server.headers ?? storedHeaders(present, server)));
}

/** Puts the present values where fields have `__unchanged__`. A server with another address needs them again. Throws AgentFaults where there is none. */
export function keepHeaderValues(fields: AgentFields, present: AgentRow | undefined): AgentFields {
  const faults: AgentFault[] = [];
  const kept = mapServers(fields, (server, at) => {
    if (!Object.values(server.headers ?? {}).includes(unchanged)) return server;
    const stored = storedHeaders(present, server) ?? {};
    const values = Object.entries(server.headers ?? {}).map(([name, value]) => {
      if (value !== unchanged) return [name, value] as const;
      if (Object.hasOwn(stored, name)) return [name, stored[name] ?? ''] as const;
      const path = ['mcp_servers', String(at), 'headers', name];
      faults.push({ path, reason: 'there is no value to keep for this address: give the value' });
      return [name, value] as const;
    });
    return withHeaders(server, Object.fromEntries(values));
  });
  if (faults.length > 0) throw new AgentFaults(faults);
  return kept;
}

type Headers = McpServerField['headers'];

function storedHeaders(present: AgentRow | undefined, { url }: McpServerField): Headers {
  const stored = present && (JSON.parse(present.fields) as AgentFields).mcp_servers;
  return stored?.find((server) => server.url === url)?.headers;
}

function mapServers(fields: AgentFields, change: (server: McpServerField, at: number) => McpServerField): AgentFields {
  const { mcp_servers: servers } = fields;
  return servers === undefined ? fields : { ...fields, mcp_servers: servers.map(change) };
}

function withHeaders({ headers: _, ...server }: McpServerField, headers: Headers): McpServerField {
  return { ...server, ...(headers && { headers }) };
}
