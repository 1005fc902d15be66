import { join } from 'node:path';
import Value from 'typebox/value';
import { savedKeyId } from '../../agents/keys/key-reference.ts';
import { McpArgs } from '../../mcp/mcp-args.ts';
import { type McpDeps, McpToolset } from '../../mcp/mcp-toolset.ts';
import { type ArgRules, checkMcpArgs, readMcpServer } from '../../mcp/read-mcp-args.ts';
import { schemaMistakes } from '../files/schema-mistakes.ts';
import { confirmTool } from './confirm-tool.ts';
import type { EntryMistake, ToolEntry, ToolResolver } from './tool-resolver.ts';

/** ADK's names of the entry: for JavaScript, and for Python. */
const names = ['MCPToolset', 'McpToolset'];

export interface McpResolverOptions {
  readonly deps: McpDeps;
  readonly rules: ArgRules;
  /** Folder of all apps, in which programs of an app start. */
  readonly dir?: string;
}

/** Entries `MCPToolset`: the tools of a server of the Model Context Protocol. */
export function createMcpResolver({ deps, rules, dir }: McpResolverOptions): ToolResolver {
  return {
    names: names.slice(0, 1),
    owns: (name) => names.includes(name),
    check: (entry) => checkMcpEntry(entry, rules),
    make(entry, { appName }) {
      const args = (entry.args ?? {}) as McpArgs;
      const { tool_filter: filter, tool_name_prefix: prefix, state_header_mapping: stateHeaders = {} } = args;
      const keyId = savedKeyId(args.api_key);
      const asks = entry.require_confirmation === true || args.require_confirmation === true;
      return new McpToolset(
        {
          server: readMcpServer(args, dir === undefined ? undefined : join(dir, appName)),
          stateHeaders,
          ...(keyId !== undefined && { keyId }),
          ...(filter !== undefined && { filter }),
          ...(prefix !== undefined && { prefix }),
          ...(asks && { finish: confirmTool }),
        },
        deps,
      );
    },
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
