import { MeshError } from '@agentmesh/lib/rpc';
import { InvalidRequest } from '../edge/errors/request-error.ts';

const largest = 2_147_483_647;
/** pydantic reads integers like this; `agent` may stand before them. */
const integer = /^\s*(?:agent)?([+-]?\d+)(?:\.0+)?\s*$/;

/** Reads `12` and `agent12`. Fails with 422 for a text without a number, with 404 for a number that no agent has. */
export function agentIdOf({ agent_id: text }: { readonly agent_id: string }): number {
  const digits = integer.exec(text)?.[1];
  if (digits === undefined) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer';
    throw new InvalidRequest([{ type: 'int_parsing', loc: ['path', 'agent_id'], msg, input: text }]);
  }
  const id = Number(digits);
  if (id < 1 || id > largest) throw new MeshError('not_found', 'agent_not_found', 'Agent not found');
  return id;
}
