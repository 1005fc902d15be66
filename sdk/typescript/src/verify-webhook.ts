import type { Run } from './records.ts';

/** A message to the webhook of a run. */
export interface RunWebhookMessage {
  readonly type: 'run.completed' | 'run.failed' | 'run.cancelled' | 'run.interrupted' | 'run.waiting';
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: Run;
}

/** The message is not one of the server, was changed, or is too old. Answer 4xx. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** Options of the check of a message. */
export interface VerifyOptions {
  /** The webhook's secret, `whsec_…`. */
  readonly secret: string;
  /** How far the message's time may be from now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks a message to the webhook of a run, as Standard Webhooks says, and answers it. `body` is the text as it arrived; names of headers may be in any case. Throws a
 * WebhookVerificationError. `webhook-id` stays the same when a message is sent again.
 *
 * @example
 * ```ts
 * const told = await verifyWebhook('{}', {}, { secret: 'whsec_c2VjcmV0' }).catch((error: Error) => error.message);
 * console.log(told); // A header of the webhook is missing.
 * ```
 */
export async function verifyWebhook(
  body: string,
  headers: HeaderSource,
  { secret, toleranceSeconds = 300 }: VerifyOptions,
): Promise<RunWebhookMessage> {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !time || !signatures) throw new WebhookVerificationError('A header of the webhook is missing.');
  const age = Math.abs(Date.now() / 1000 - Number(time));
  if (!(age <= toleranceSeconds)) throw new WebhookVerificationError('The time of the message is too far from now.');
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), hmac, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${time}.${body}`);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(value), signed)))
      return JSON.parse(body) as RunWebhookMessage;
  }
  throw new WebhookVerificationError('No signature of the message is one of this secret.');
}

const hmac = { name: 'HMAC', hash: 'SHA-256' };

function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const [, value] = Object.entries(headers).find(([it]) => it.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : undefined;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError('A secret or signature is not base64.');
  }
}
