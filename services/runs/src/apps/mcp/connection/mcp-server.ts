/** Address of a server that is reached over HTTP. */
export interface HttpServer {
  readonly kind: 'streamable_http' | 'sse';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds in which a connection must be made, and tools listed. */
  readonly timeoutMs: number;
}

/** A program that is started as a child process and speaks over its standard input and output. */
export interface StdioServer {
  readonly kind: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** All that the program gets beside a few harmless variables such as PATH. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder that the program starts in. */
  readonly cwd?: string;
  /** Milliseconds in which tools must be listed. */
  readonly timeoutMs: number;
  /** Milliseconds in which the program must have started; absent: `timeoutMs`. */
  readonly startMs?: number;
}

/** How a server of the Model Context Protocol is reached. */
export type McpServer = HttpServer | StdioServer;

/** A server together with who uses it. Equal targets share a connection. */
export interface McpTarget {
  /** Account whose run uses the connection; connections are never shared between accounts. */
  readonly accountId: string;
  readonly server: McpServer;
  /** Headers of this use, on top of those of the server. They may hold secrets. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The server in logs and messages: without a query, headers or arguments, which may hold secrets. */
export function serverName(server: McpServer): string {
  if (server.kind === 'stdio') return server.command;
  const { origin, pathname } = new URL(server.url);
  return origin + pathname;
}
