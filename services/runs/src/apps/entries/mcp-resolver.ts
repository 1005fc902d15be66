import { join } from 'node:path';
import Value from 'typebox/value';
import { savedKeyId } from '../definition/key-reference.ts';
import { McpArgs } from '../mcp/mcp-args.ts';
import type { McpLink } from '../mcp/mcp-link.ts';
import { type McpDeps, openMcpLink } from '../mcp/open-mcp-link.ts';
import { type ArgRules, checkMcpArgs, readMcpServer } from '../mcp/read-mcp-args.ts';
import { schemaMistakes } from '../definition/schema-mistakes.ts';
import { makeMcpToolset, mcpNames } from './make-mcp-toolset.ts';
import type { EntryMistake, ToolEntry, ToolResolver } from '../definition/tool-resolver.ts';

export interface McpResolverOptions {
  readonly deps: McpDeps;
  readonly rules: ArgRules;
  /** Folder of all apps, in which programs of an app start. */
  readonly dir?: string;
}

export interface McpResolver extends ToolResolver {
  /** How the server of an entry without mistakes is reached. */
  link(entry: ToolEntry, appName: string): McpLink;
}

/** Entries `MCPToolset`: the tools of a server of the Model Context Protocol. */
export function createMcpResolver({ deps, rules, dir }: McpResolverOptions): McpResolver {
  const link: McpResolver['link'] = (entry, appName) => {
    const args = (entry.args ?? {}) as McpArgs;
    const keyId = savedKeyId(args.api_key);
    const server = readMcpServer(args, dir === undefined ? undefined : join(dir, appName));
    const stateHeaders = args.state_header_mapping ?? {};
    return openMcpLink({ server, stateHeaders, ...(keyId !== undefined && { keyId }) }, deps);
  };
  return {
    names: mcpNames.slice(0, 1),
    owns: (name) => mcpNames.includes(name),
    canBeAway: true,
    check: (entry) => checkMcpEntry(entry, rules),
    make: (entry, { appName }) => makeMcpToolset(entry, link(entry, appName)),
    link,
  };
}

/** Mistakes of an entry, found without the network. */
export function checkMcpEntry({ args }: ToolEntry, rules: ArgRules): EntryMistake[] {
  if (args === undefined) return [{ path: ['args'], reason: 'is required: it says how the server is reached' }];
  const found = schemaMistakes(McpArgs, args);
  if (found.length > 0 || !Value.Check(McpArgs, args)) return found.map(below);
  const mistakes = checkMcpArgs(args, rules).map(below);
  if (args.api_key !== undefined && savedKeyId(args.api_key) === undefined) {
    mistakes.push(below({ path: ['api_key'], reason: 'must name a saved key, e.g. saved:apikey7' }));
  }
  return mistakes;
}

function below({ path, reason }: { readonly path: readonly string[]; readonly reason: string }): EntryMistake {
  return { path: ['args', ...path], reason };
}
