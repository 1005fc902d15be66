import type { Problem } from '../../edge/errors/problem.ts';

const typesOfStatuses: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** An error as OpenAI writes it. A body that is not valid is 400 there. */
export function openAiProblem({ status, body, headers }: Problem): Problem {
  const { detail, code = null } = body as { readonly detail: string | readonly Issue[]; readonly code?: string };
  const [first] = typeof detail === 'string' ? [] : detail;
  const param = first === undefined ? null : first.loc.slice(1).join('.') || null;
  const message = typeof detail === 'string' ? detail : messageOf(detail);
  const type = typesOfStatuses[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  const error = { message, type, param, code };
  return { status: status === 422 ? 400 : status, body: { error }, ...(headers !== undefined && { headers }) };
}

function messageOf(issues: readonly Issue[]): string {
  return issues.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'body'}: ${msg}`).join('; ');
}
