import { MeshError } from '@agentmesh/lib/rpc';
import { InvalidRequest } from '../edge/errors/request-error.ts';

const largest = 2_147_483_647;
/** pydantic reads integers like this; `agent` may stand before them. */
const integer = /^\s*(?:agent)?([+-]?\d+)(?:\.0+)?\s*$/;

const notFound = () => new MeshError('not_found', 'agent_not_found', 'Agent not found');

/** Reads `12` and `agent12`. Fails with 422 for a text without a number, with 404 for a number that no agent has. */
export function agentIdOf({ agent_id: text }: { readonly agent_id: string }): number {
  const digits = digitsOf(text);
  if (digits === undefined) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer';
    throw new InvalidRequest([{ type: 'int_parsing', loc: ['path', 'agent_id'], msg, input: text }]);
  }
  return idOf(digits);
}

/** Like `agentIdOf`, but any text without a number is the id of an agent that does not exist: 404. */
export function anyAgentIdOf({ agent_id: text }: { readonly agent_id: string }): number {
  const digits = digitsOf(text);
  if (digits === undefined) throw notFound();
  return idOf(digits);
}

function digitsOf(text: string): string | undefined {
  return integer.exec(text)?.[1];
}

function idOf(digits: string): number {
  const id = Number(digits);
  if (id < 1 || id > largest) throw notFound();
  return id;
}
