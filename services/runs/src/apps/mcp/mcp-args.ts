import Type, { type Static } from 'typebox';

const strict = { additionalProperties: false };
const NonEmpty = Type.String({ minLength: 1 });
const seconds = Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 300 }));
const texts = Type.Unsafe<Record<string, string>>(Type.Object({}, { additionalProperties: Type.String() }));

const HttpParams = Type.Object(
  {
    url: NonEmpty,
    headers: Type.Optional(texts),
    timeout: seconds,
    /** Taken from files made for Python, and not used: the time-out of the tool ends each call. */
    sse_read_timeout: seconds,
    terminate_on_close: Type.Optional(Type.Boolean()),
  },
  strict,
);

const StdioServerParams = Type.Object(
  {
    command: NonEmpty,
    args: Type.Optional(Type.Array(Type.String())),
    env: Type.Optional(texts),
    cwd: Type.Optional(NonEmpty),
  },
  strict,
);

/** `args` of a `MCPToolset`, with the keys of ADK for Python. */
export const McpArgs = Type.Object(
  {
    streamable_http_connection_params: Type.Optional(HttpParams),
    sse_connection_params: Type.Optional(HttpParams),
    stdio_connection_params: Type.Optional(Type.Object({ server_params: StdioServerParams, timeout: seconds }, strict)),
    stdio_server_params: Type.Optional(StdioServerParams),
    tool_filter: Type.Optional(Type.Array(NonEmpty)),
    tool_name_prefix: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,40}$' })),
    /** Header by key of the session's state. */
    state_header_mapping: Type.Optional(texts),
    /** `saved:apikey7`: sent as bearer token. */
    api_key: Type.Optional(Type.String()),
    require_confirmation: Type.Optional(Type.Boolean()),
    /** The run fails when the server is away; else it goes on without the tools. */
    required: Type.Optional(Type.Boolean()),
  },
  strict,
);

export type McpArgs = Static<typeof McpArgs>;
export type HttpParams = Static<typeof HttpParams>;

/** The keys of which a toolset has exactly one. */
export const connectionKeys = [
  'streamable_http_connection_params',
  'sse_connection_params',
  'stdio_connection_params',
  'stdio_server_params',
] as const;
