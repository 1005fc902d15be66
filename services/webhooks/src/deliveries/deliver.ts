import { OutboundError } from '@agentmesh/lib/outbound';
import { isMeshError } from '@agentmesh/lib/rpc';
import { retryAfterSeconds } from '../retry-after.ts';
import type { TakenDelivery } from '../store/deliveries.ts';
import { callMs, type RunWebhooks } from './run-webhooks.ts';

/** How an attempt at a delivery has ended. */
export interface Answer {
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** Why it has failed; null when it has not. */
  readonly error: string | null;
  /** No other attempt can succeed. */
  readonly isFinal?: boolean;
  /** Pause in seconds that the receiver asks for. */
  readonly retryAfter?: number | undefined;
}

/** Time for an attempt, in milliseconds. */
export const attemptMs = 15_000;

/** Makes one attempt at a delivery. Rejects only with the reason of `signal`, when it aborts. */
export async function deliver(webhooks: RunWebhooks, delivery: TakenDelivery, signal: AbortSignal): Promise<Answer> {
  const timestamp = Math.floor(webhooks.clock.now().getTime() / 1000);
  try {
    const signature = await sign(webhooks, delivery, timestamp);
    return await post(webhooks, delivery, {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'agent-mesh',
        'webhook-id': delivery.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      },
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptMs)]),
    });
  } catch (error) {
    signal.throwIfAborted();
    return failureOf(error);
  }
}

async function sign({ signing }: RunWebhooks, delivery: TakenDelivery, timestamp: number): Promise<string> {
  const { account_id: accountId, id: messageId, secret_id: id, secret: envelope, payload } = delivery;
  const message = { accountId, id, envelope, messageId, timestamp: BigInt(timestamp), payload: Buffer.from(payload) };
  const { signature } = await signing.signMessage(message, { timeoutMs: callMs });
  return signature;
}

async function post(
  { fetch, clock }: RunWebhooks,
  { url, payload }: TakenDelivery,
  init: Pick<RequestInit, 'headers' | 'signal'>,
): Promise<Answer> {
  const response = await fetch(url, { ...init, method: 'POST', body: payload, redirect: 'manual' });
  // The status is the answer. The body is not read.
  await response.body?.cancel().catch(() => undefined);
  const { status, ok } = response;
  if (ok) return { status, error: null };
  if (status === 410) return { status, error: 'The server answered 410: it wants no more messages.', isFinal: true };
  if (status >= 300 && status < 400)
    return { status, error: `The server answered ${status}. Redirects are not followed.` };
  const retryAfter = retryAfterSeconds(response.headers.get('retry-after'), clock.now());
  return { status, error: `The server answered ${status}.`, retryAfter };
}

/** The texts contain no resolved addresses. */
function failureOf(error: unknown): Answer {
  if (isMeshError(error)) {
    const isFinal = error.reason === 'signing_secret_lost';
    return { status: null, error: isFinal ? error.message : 'The message could not be signed.', isFinal };
  }
  if (error instanceof Error && error.name === 'TimeoutError') {
    return { status: null, error: `The server did not answer within ${attemptMs / 1000} s.` };
  }
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof OutboundError) return { status: null, error: cause.message };
  return { status: null, error: 'The server could not be reached.' };
}
