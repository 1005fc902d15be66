import { type AgentMeshError, errorOf, type Fault } from '../errors.ts';
import { retryAfterOf } from './backoff.ts';

/** Redirects. Browsers tell the status 0 of them. */
const redirects = new Set([0, 301, 302, 303, 307, 308]);

/** The error that an answer without success tells. Reads its body. */
export async function answerError(response: Response): Promise<AgentMeshError> {
  const text = await response.text().catch(() => '');
  // OAuth answers have `error` and `error_description`.
  const { error, error_description: description, detail = description, code = error } = bodyOf(text);
  const faults = Array.isArray(detail) ? (detail as readonly Fault[]) : [];
  const message = faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return errorOf({
    status: response.status,
    code: typeof code === 'string' ? code : '',
    message: message || (typeof detail === 'string' ? detail : messageOf(response.status)),
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response.headers.get('retry-after')),
    faults,
  });
}

function messageOf(status: number): string {
  return redirects.has(status)
    ? 'The server answered with a redirect, and none is followed: its address may be another one.'
    : `The server answered ${status}.`;
}

/** Proxies answer texts that are no JSON. */
function bodyOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
