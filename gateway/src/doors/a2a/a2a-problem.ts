import type { Problem } from '../../edge/errors/problem.ts';
import { type Fault, faultsOf, problemText } from '../road/problem-text.ts';

const codes = { parse: -32_700, request: -32_600, params: -32_602, internal: -32_603 };

/** An error as JSON-RPC writes it, for requests that are refused before the protocol's library has them. A body that is not valid is 400 here. */
export function a2aProblem({ status, body, headers }: Problem): Problem {
  const { code: reason } = body as { readonly code?: string };
  const error = {
    code: codeOf(status, faultsOf({ body })),
    message: problemText({ body }),
    ...(reason !== undefined && { data: { reason } }),
  };
  return {
    status: status === 422 ? 400 : status,
    body: { jsonrpc: '2.0', id: null, error },
    ...(headers !== undefined && { headers }),
  };
}

function codeOf(status: number, faults: readonly Fault[]): number {
  if (status >= 500) return codes.internal;
  if (faults.length === 0) return status === 400 ? codes.params : codes.request;
  return faults.some(({ type }) => type === 'json_invalid') ? codes.parse : codes.params;
}
