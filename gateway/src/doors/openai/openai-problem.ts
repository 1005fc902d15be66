import type { Problem } from '../../edge/errors/problem.ts';
import { faultsOf, problemText } from '../road/problem-text.ts';

const typesOfStatuses: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

export const modelsAreApps = 'Models are apps here: GET /v1/models lists them.';

/** An error as OpenAI writes it. A body that is not valid is 400 there. */
export function openAiProblem({ status, body, headers }: Problem): Problem {
  const { code = null } = body as { readonly code?: string };
  const [first] = faultsOf({ body });
  const param = first === undefined ? null : first.loc.slice(1).join('.') || null;
  const type = typesOfStatuses[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  const text = problemText({ body });
  const message = code === 'app_not_found' ? `${text} ${modelsAreApps}` : text;
  const error = { message, type, param, code };
  return { status: status === 422 ? 400 : status, body: { error }, ...(headers !== undefined && { headers }) };
}
