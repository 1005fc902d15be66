import { BaseAgent, BaseTool, BaseToolset, isBaseAgent, isBaseLlm, isBaseTool, isBaseToolset } from '@google/adk/core';
import type { CodeKind, CodeName } from '../../../building/code-names.ts';
import type { Export } from './exports.ts';

const checks: Readonly<Record<CodeKind, readonly [isGood: (value: unknown) => boolean, problem: string]>> = {
  agent: [isBaseAgent, 'is not an agent of ADK'],
  callback: [isFunction, 'is not a function'],
  class: [(value) => isSubclass(value, BaseAgent), 'is not a subclass of BaseAgent'],
  function: [isFunction, 'is not a function'],
  model: [isBaseLlm, 'is not a model of ADK, an instance of a subclass of BaseLlm'],
  schema: [(value) => typeof value === 'object' && value !== null, 'is not a schema of zod or JSON'],
  tool: [isToolSource, 'is neither a tool of ADK nor an agent nor a function'],
};

/** Why an export cannot be what a file names it for; undefined when it can. */
export function problemOfCode({ kind, entry }: CodeName, { value }: Export): string | undefined {
  const [isGood, problem] = checks[kind];
  if (!isGood(value)) return problem;
  const takesArgs = typeof value === 'function';
  return kind === 'tool' && entry?.args !== undefined && !takesArgs ? 'takes no args: it is made already' : undefined;
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

/** Whether a value is a class that makes tools or toolsets. */
export function isToolClass(value: unknown): value is new (args: object) => BaseTool | BaseToolset {
  return isSubclass(value, BaseTool) || isSubclass(value, BaseToolset);
}

function isToolSource(value: unknown): boolean {
  return isBaseTool(value) || isBaseToolset(value) || isBaseAgent(value) || typeof value === 'function';
}

function isSubclass(value: unknown, of: { readonly prototype: object }): boolean {
  return typeof value === 'function' && (value.prototype as unknown) instanceof (of as unknown as new () => object);
}
