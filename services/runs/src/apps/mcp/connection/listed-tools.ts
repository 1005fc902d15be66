import { schemaFault, sizeOfTool } from '../../tools/schema-fault.ts';

/** A tool of a server as models get it. */
export interface ListedTool {
  /** The server's own name. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** JSON Schema of structured answers. */
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  /** The server says that a call may be made again: it changes nothing, or nothing more. */
  readonly idempotent?: boolean;
}

/** The tools of a server that models can be given, and why others are left out. */
export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** At most twenty. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

const mostTools = 256;
const mostBytes = 1024 * 1024;
const mostLeftOut = 20;

/**
 * Reads what a server lists. Leaves out what is no tool, and tools that no model could be given: with a schema that is too large or nested too
 * deeply, or beyond the number that fits.
 */
export function toListedTools(found: readonly unknown[]): ListedTools {
  const tools: ListedTool[] = [];
  const leftOut: { name: string; reason: string }[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const one of found) {
    const { name, reason, tool, size } = read(one);
    const fault = reason ?? (names.has(name) ? 'is listed twice' : roomFault({ size, bytes, count: tools.length }));
    if (fault === undefined && tool !== undefined) {
      names.add(name);
      bytes += size;
      tools.push(tool);
    } else if (leftOut.length < mostLeftOut) leftOut.push({ name: name.slice(0, 128), reason: fault ?? '' });
  }
  return { tools, leftOut };
}

/** Why an item of a list is no tool that a model could be given; undefined when it is one. */
export function faultOf(item: unknown): string | undefined {
  return read(item).reason;
}

interface ReadTool {
  readonly name: string;
  readonly size: number;
  readonly tool?: ListedTool;
  /** Why it is left out. */
  readonly reason?: string;
}

function read(value: unknown): ReadTool {
  const nothing = { name: '', size: 0 };
  if (!isObject(value) || typeof value['name'] !== 'string' || value['name'] === '') {
    return { ...nothing, reason: 'has no name' };
  }
  const { name, description = '', inputSchema, outputSchema, annotations, execution } = value;
  const refuse = (reason: string): ReadTool => ({ ...nothing, name, reason });
  if (isObject(execution) && execution['taskSupport'] === 'required') return refuse('it runs as a task only');
  if (typeof description !== 'string') return refuse('its description is no text');
  if (!isObject(inputSchema) || inputSchema['type'] !== 'object') return refuse('its schema is not that of an object');
  if (outputSchema !== undefined && !isObject(outputSchema)) return refuse('its output schema is no schema');
  const schemas = [inputSchema, outputSchema];
  const fault = schemaFault(description, schemas);
  if (fault !== undefined) return refuse(fault);
  const size = sizeOfTool(description, schemas);
  return {
    name,
    size,
    tool: { name, description, inputSchema, ...(outputSchema && { outputSchema }), ...repeatable(annotations) },
  };
}

function repeatable(annotations: unknown): Pick<ListedTool, 'idempotent'> {
  if (!isObject(annotations)) return {};
  return annotations['readOnlyHint'] === true || annotations['idempotentHint'] === true ? { idempotent: true } : {};
}

interface Extent {
  readonly size: number;
  readonly bytes: number;
  readonly count: number;
}

function roomFault({ size, bytes, count }: Extent): string | undefined {
  if (count >= mostTools) return `a server may have ${mostTools} tools`;
  return bytes + size > mostBytes ? `the tools of a server may be ${mostBytes} bytes` : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
