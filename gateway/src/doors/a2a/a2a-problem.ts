import type { Problem } from '../../edge/errors/problem.ts';

interface Issue {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

const codes = { parse: -32_700, request: -32_600, params: -32_602, internal: -32_603 };

/** An error as JSON-RPC writes it, for requests that are refused before the protocol's library has them. A body that is not valid is 400 here. */
export function a2aProblem({ status, body, headers }: Problem): Problem {
  const { detail, code: reason } = body as { readonly detail: string | readonly Issue[]; readonly code?: string };
  const message = typeof detail === 'string' ? detail : issuesText(detail);
  const error = { code: codeOf(status, detail), message, ...(reason !== undefined && { data: { reason } }) };
  return {
    status: status === 422 ? 400 : status,
    body: { jsonrpc: '2.0', id: null, error },
    ...(headers !== undefined && { headers }),
  };
}

function codeOf(status: number, detail: string | readonly Issue[]): number {
  if (status >= 500) return codes.internal;
  if (typeof detail === 'string') return status === 400 ? codes.params : codes.request;
  return detail.some(({ type }) => type === 'json_invalid') ? codes.parse : codes.params;
}

/** Says what is not valid, with the names of the fields. */
export function issuesText(issues: readonly Pick<Issue, 'loc' | 'msg'>[]): string {
  return issues.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'body'}: ${msg}`).join('; ');
}
