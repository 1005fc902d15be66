import type { Client, StandardSchemaV1, Transport } from '@modelcontextprotocol/client';
import { faultOf } from './listed-tools.ts';
import { McpFailure } from './mcp-failure.ts';

/** Most pages of a list of tools, and most of its items. */
const mostPages = 16;
const mostItems = 10_000;

/** Takes every list: each tool is checked on its own, so that a bad one does not take away the others. */
const anyResult: StandardSchemaV1<unknown, Page> = {
  '~standard': {
    version: 1,
    vendor: 'agentmesh',
    validate: (value) => (isPage(value) ? { value } : { issues: [{ message: 'There is no list of tools.' }] }),
  },
};

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor?: unknown;
}

/** Everything that a server lists as a tool, unchecked. Rejects when the list does not end. */
export async function listTools(client: Client, timeout: number): Promise<unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const found: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, anyResult, { timeout });
    found.push(...tools);
    if (found.length > mostItems) break;
    if (typeof nextCursor !== 'string' || nextCursor === '') return found;
    cursor = nextCursor;
  }
  throw new McpFailure(`The list of tools of the MCP server has more than ${mostPages} pages or ${mostItems} tools.`);
}

function isPage(value: unknown): value is Page {
  return typeof value === 'object' && value !== null && 'tools' in value && Array.isArray(value.tools);
}

/**
 * Lets lists of tools arrive whose items are not valid: the client would refuse such a list as a whole, and recurse into its schemas. Items that are no
 * tools are told to `onLeftOut`.
 */
export function admitLists(transport: Transport, onLeftOut: (item: unknown) => void): void {
  const deliver = transport.onmessage;
  transport.onmessage = (message, extra) => {
    if ('result' in message && isPage(message.result)) {
      const { tools } = message.result;
      // Each item is read once: its schemas are walked and printed.
      const { good = [], bad = [] } = Object.groupBy(tools, (item) => (faultOf(item) === undefined ? 'good' : 'bad'));
      for (const item of bad) onLeftOut(item);
      Object.assign(message.result, { tools: good });
    }
    deliver?.(message, extra);
  };
}
