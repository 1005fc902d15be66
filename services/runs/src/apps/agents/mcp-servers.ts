import Type, { type Static } from 'typebox';
import type { McpArgs } from '../mcp/mcp-args.ts';
import type { ToolEntry } from '../definition/tool-resolver.ts';

const NonEmpty = Type.String({ minLength: 1 });
const texts = Type.Optional(
  Type.Unsafe<Record<string, string>>(Type.Object({}, { additionalProperties: Type.String() })),
);

/** A server of the Model Context Protocol whose tools an agent has. Programs are only for files. */
export const McpServerField = Type.Object(
  {
    url: NonEmpty,
    transport: Type.Optional(Type.Enum(['streamable_http', 'sse'])),
    headers: texts,
    /** Seconds. */
    timeout: Type.Optional(Type.Number()),
    tool_filter: Type.Optional(Type.Array(NonEmpty)),
    tool_name_prefix: Type.Optional(NonEmpty),
    state_header_mapping: texts,
    api_key: Type.Optional(NonEmpty),
    require_confirmation: Type.Optional(Type.Boolean()),
    required: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type McpServerField = Static<typeof McpServerField>;

/** The entry of `tools` that gives an agent the server's tools. */
export function toToolEntry(server: McpServerField): ToolEntry & { readonly args: McpArgs } {
  const { url, transport, headers, timeout, ...rest } = server;
  const key = transport === 'sse' ? 'sse_connection_params' : 'streamable_http_connection_params';
  const params = { url, ...(headers && { headers }), ...(timeout !== undefined && { timeout }) };
  return { name: 'MCPToolset', args: { [key]: params, ...rest } };
}

/** The server of such an entry that has been checked; undefined for other entries. */
export function toMcpServer({ args, require_confirmation: asks }: ToolEntry): McpServerField | undefined {
  if (args === undefined) return undefined;
  const { streamable_http_connection_params: http, sse_connection_params: sse, ...rest } = args as McpArgs;
  const params = http ?? sse;
  if (params === undefined) return undefined;
  const { url, headers, timeout } = params;
  return {
    url,
    ...(sse && { transport: 'sse' }),
    ...(headers && { headers }),
    ...(timeout !== undefined && { timeout }),
    ...rest,
    ...(asks !== undefined && { require_confirmation: asks }),
  };
}
