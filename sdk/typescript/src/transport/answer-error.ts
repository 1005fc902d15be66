import { type AgentMeshError, errorOf, type Fault } from '../errors.ts';
import { retryAfterOf } from './backoff.ts';

/** The error that an answer with a status from 400 on tells. Reads its body. */
export async function answerError(response: Response): Promise<AgentMeshError> {
  const text = await response.text().catch(() => '');
  // OAuth answers have `error` and `error_description`.
  const { error, error_description: description, detail = description, code = error } = bodyOf(text);
  const faults = Array.isArray(detail) ? (detail as readonly Fault[]) : [];
  const message = faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return errorOf({
    status: response.status,
    code: typeof code === 'string' ? code : '',
    message: message || (typeof detail === 'string' ? detail : `The server answered ${response.status}.`),
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: retryAfterOf(response.headers.get('retry-after')),
    faults,
  });
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
