import type { Tool } from '@modelcontextprotocol/client';

/** A tool of a server as models get it. */
export interface ListedTool {
  /** The server's own name. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The tools of a server that models can be given, and why others are left out. */
export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** At most twenty. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

const mostTools = 256;
const mostToolBytes = 64 * 1024;
const mostBytes = 1024 * 1024;
const mostLevels = 32;
const mostLeftOut = 20;

/** Leaves out tools that no model could be given: with a schema that is too large or nested too deeply, or beyond the number that fits. */
export function toListedTools(found: readonly Tool[]): ListedTools {
  const tools: ListedTool[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const { name, description = '', inputSchema } of found) {
    const size = Buffer.byteLength(description) + Buffer.byteLength(JSON.stringify(inputSchema));
    const reason = names.has(name) ? 'is listed twice' : faultOf(inputSchema, { size, bytes, count: tools.length });
    if (reason === undefined) {
      names.add(name);
      bytes += size;
      tools.push({ name, description, inputSchema });
    } else if (leftOut.length < mostLeftOut) leftOut.push({ name: name.slice(0, 128), reason });
  }
  return { tools, leftOut };
}

interface Extent {
  readonly size: number;
  readonly bytes: number;
  readonly count: number;
}

function faultOf(schema: unknown, { size, bytes, count }: Extent): string | undefined {
  if (size > mostToolBytes) return `its description and schema are larger than ${mostToolBytes} bytes`;
  if (isDeeper(schema, mostLevels)) return `its schema has more than ${mostLevels} levels`;
  if (count >= mostTools) return `a server may have ${mostTools} tools`;
  return bytes + size > mostBytes ? `the tools of a server may be ${mostBytes} bytes` : undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
