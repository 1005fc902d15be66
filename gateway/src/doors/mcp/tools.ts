import { createHash } from 'node:crypto';
import type { Tool } from '@modelcontextprotocol/server';
import { runStatuses } from '@agentmesh/proto/run-record';
import { type Static, Type } from 'typebox';
import { freeForm, maybe, storedId, storedText, strict } from '../../edge/records/keywords.ts';

/** Longest name of a tool that all vendors of models take. */
const longestName = 64;

export const ToolArguments = Type.Object(
  {
    message: maybe(Type.String({ description: 'What the agent is told. Required unless `answer` is given.' })),
    session_id: maybe(
      storedId({
        description:
          'Goes on with the conversation that an earlier result names; absent for a new one. With `answer`: the session of the run.',
      }),
    ),
    user: maybe(storedId({ description: 'The end user for whom the agent acts.' })),
    answer: maybe(
      Type.Object(
        {
          run_id: storedText(),
          call_id: storedText(),
          response: freeForm({ description: 'For example {"confirmed": true}, or {"result": "a text"}.' }),
        },
        { ...strict, description: 'Answers a run whose result has the status `waiting`, in place of `message`.' },
      ),
    ),
  },
  strict,
);
export type ToolArguments = Static<typeof ToolArguments>;

const ToolResult = Type.Object({
  text: Type.String({ description: 'The answer of the agent.' }),
  session_id: Type.String(),
  run_id: Type.String(),
  status: Type.Enum(runStatuses),
  error_code: Type.Optional(Type.String()),
  waiting_for: Type.Optional(
    Type.Array(Type.Object({ call_id: Type.String(), name: Type.String(), args: Type.Optional(freeForm()) }), {
      description: 'Calls that a person has to answer before the agent goes on.',
    }),
  ),
});
export type ToolResult = Static<typeof ToolResult>;

const inputSchema = publicSchema(ToolArguments);
const outputSchema = publicSchema(ToolResult);

export interface NamedApp {
  readonly name: string;
  readonly description: string;
}

/** An app as a tool. */
export function toolOf({ name, description }: NamedApp): Tool {
  return {
    name: toolName(name),
    description: description || `The agent ${name}.`,
    inputSchema: inputSchema as Tool['inputSchema'],
    outputSchema: outputSchema as NonNullable<Tool['outputSchema']>,
  };
}

/** The name of an app in the letters that tools may have. A name that is changed ends with a part of its hash, so that no two apps share one. */
export function toolName(app: string): string {
  const name = app.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, longestName);
  if (name === app) return name;
  const hash = createHash('sha256').update(app).digest('hex').slice(0, 8);
  return `${name.slice(0, longestName - hash.length - 1)}_${hash}`;
}

/** A schema as models are shown it: `null` counts as absent, and patterns and keywords of our own are left out. */
function publicSchema(schema: object): object {
  const shown = JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'pattern' || key.startsWith('x-')) return undefined;
    const [inner, other] = (value as { anyOf?: { type?: string }[] } | null)?.anyOf ?? [];
    return other?.type === 'null' ? inner : value;
  });
  return JSON.parse(shown) as object;
}
