import { readFileSync } from 'node:fs';
import {
  AgentTool,
  type BaseTool,
  type BaseToolset,
  FunctionTool,
  isBaseAgent,
  isBaseTool,
  isBaseToolset,
  LongRunningFunctionTool,
  type ToolOptions,
} from '@google/adk/core';
import { longRunningTool } from '../../../entries/code-resolver.ts';
import type { ToolEntry } from '../../../definition/tool-resolver.ts';
import type { Export } from './exports.ts';
import { isToolClass } from './problem-of-code.ts';

type Execute = ToolOptions<undefined>['execute'];

/**
 * The tool that an entry names: a tool or toolset of ADK, an agent, a class of tools, which is given the entry's `args`, or a function. With `args`
 * a function makes the tool; without, it is the tool: it takes one object of arguments and the tool's context, is described by the comment before
 * it, and its arguments by `fn.parameters` or the export `<name>Schema`.
 */
export function toolOfExport(found: Export, entry: ToolEntry): BaseTool | BaseToolset {
  const { value } = found;
  if (isBaseTool(value) || isBaseToolset(value)) return value;
  if (isBaseAgent(value)) return new AgentTool({ agent: value });
  if (isToolClass(value)) return new value(entry.args ?? {});
  if (entry.name === longRunningTool) return new LongRunningFunctionTool(optionsOf(found));
  if (entry.args === undefined) return withProperties(new FunctionTool(optionsOf(found)), value);
  const made: unknown = (value as (args: object) => unknown)(entry.args);
  if (isBaseTool(made) || isBaseToolset(made)) return made;
  throw new Error(`"${entry.name}" has args, so it must return a tool of ADK; it returned something else`);
}

function optionsOf({ value, module, path, name }: Export): ToolOptions<undefined> {
  const parameters: unknown = Reflect.get(value as object, 'parameters') ?? module[`${name}Schema`];
  return {
    name,
    description: commentBefore(readFileSync(path, 'utf8'), name),
    execute: value as Execute,
    ...(parameters !== undefined && { parameters: parameters as unknown as undefined }),
  };
}

/** A tool has the properties of its function that ADK has no place for. */
function withProperties(tool: FunctionTool, value: unknown): FunctionTool {
  const { timeoutSeconds, idempotent } = value as Record<string, unknown>;
  return Object.assign(tool, {
    ...(typeof timeoutSeconds === 'number' && { timeoutSeconds }),
    ...(idempotent === true && { idempotent }),
  });
}

/** The text of the comment that stands before an export, without its tags. */
function commentBefore(source: string, name: string): string {
  const named = `(?:async\\s+)?(?:function\\s*\\*?|const|let)\\s+${name.replaceAll('$', '\\$')}\\b`;
  const [, comment = ''] = new RegExp(`/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\\s*export\\s+${named}`).exec(source) ?? [];
  const lines = comment.split('\n').map((line) => line.replace(/^\s*\*?\s?/, '').trim());
  const tag = lines.findIndex((line) => line.startsWith('@'));
  return (tag === -1 ? lines : lines.slice(0, tag)).join(' ').trim();
}
