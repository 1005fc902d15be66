import type { BaseTool, BaseToolset } from '@google/adk/core';
import type { Path } from './parse-yaml.ts';

/** One item of `tools:` in an agent's file. A bare name is an entry without other keys. */
export interface ToolEntry {
  readonly name: string;
  /** Settings of the tool, for those that take some. */
  readonly args?: object;
  /** The tool asks for approval before each call. */
  readonly require_confirmation?: boolean;
  /** The run fails when the source of the tools is away. For `MCPToolset`. */
  readonly required?: boolean;
}

/** Where an entry stands. */
export interface ToolPlace {
  readonly appName: string;
  readonly agentName: string;
}

/** A mistake in an entry. */
export interface EntryMistake {
  /** From the entry on, e.g. `['name']`. */
  readonly path: Path;
  readonly reason: string;
}

/** Makes the tools of one kind of entry. */
export interface ToolResolver {
  /** Names that an entry may have, for suggestions. Empty where names are free. */
  readonly names: readonly string[];
  /** Whether entries of this name are of this kind. */
  owns(name: string): boolean;
  /** Whether the source of its tools may be away, so that `required` says what happens then. */
  readonly canBeAway?: boolean;
  /** Mistakes of an entry that it owns, found without the network and without running code of the app. */
  check(entry: ToolEntry): readonly EntryMistake[];
  /** Makes the tool of an entry without mistakes, once for each agent that names it. Undefined: ADK itself gives it to agents. */
  make(entry: ToolEntry, place: ToolPlace): BaseTool | BaseToolset | undefined;
}
