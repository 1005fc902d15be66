import type { Problem } from '../../edge/errors/problem.ts';
import { faultsOf, problemText } from '../road/problem-text.ts';

/** Code of JSON-RPC for a body that is no JSON. */
const parseError = -32_700;
const invalidRequest = -32_600;
/** Code of JSON-RPC for errors of a server's own. */
const ownError = -32_000;

/** A request that is refused before its message is read, as JSON-RPC writes errors. Bodies that are not valid are 400 here. */
export function mcpProblem({ status, body, headers }: Problem): Problem {
  const isNoJson = faultsOf({ body }).some(({ type }) => type === 'json_invalid');
  const refused = status === 400 || status === 422 ? invalidRequest : ownError;
  const error = { code: isNoJson ? parseError : refused, message: problemText({ body }) };
  return {
    status: status === 422 ? 400 : status,
    body: { jsonrpc: '2.0', id: null, error },
    ...(headers !== undefined && { headers }),
  };
}
