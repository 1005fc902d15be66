import { readFileSync } from 'node:fs';
import {
  AgentTool,
  type BaseTool,
  type BaseToolset,
  FunctionTool,
  isBaseAgent,
  isBaseTool,
  isBaseToolset,
  type ToolOptions,
} from '@google/adk';
import type { Export } from './exports.ts';

type Execute = ToolOptions<undefined>['execute'];

/**
 * The tool of an export: a tool or toolset of ADK, an agent, or a function, which takes one object of arguments and the tool's context. A
 * function is described by the comment before it, and its arguments by `fn.parameters` or the export `<name>Schema`. Undefined for
 * anything else.
 */
export function toolOfExport(found: Export): BaseTool | BaseToolset | undefined {
  const { value, module, path, name } = found;
  if (isBaseTool(value) || isBaseToolset(value)) return value;
  if (isBaseAgent(value)) return new AgentTool({ agent: value });
  if (typeof value !== 'function') return undefined;
  const parameters: unknown = Reflect.get(value, 'parameters') ?? module[`${name}Schema`];
  const tool = new FunctionTool({
    name,
    description: commentBefore(readFileSync(path, 'utf8'), name),
    execute: value as Execute,
    ...(parameters !== undefined && { parameters: parameters as unknown as undefined }),
  });
  const seconds: unknown = Reflect.get(value, 'timeoutSeconds');
  return typeof seconds === 'number' ? Object.assign(tool, { timeoutSeconds: seconds }) : tool;
}

/** The text of the comment that stands before an export, without its tags. */
function commentBefore(source: string, name: string): string {
  const named = `(?:async\\s+)?(?:function\\s*\\*?|const|let)\\s+${name.replaceAll('$', '\\$')}\\b`;
  const [, comment = ''] = new RegExp(`/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\s*export\\s+${named}`).exec(source) ?? [];
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trim());
  const tag = lines.findIndex((line) => line.startsWith('@'));
  return (tag === -1 ? lines : lines.slice(0, tag)).join(' ').trim();
}
