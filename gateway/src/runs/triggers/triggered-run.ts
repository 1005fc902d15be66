import { randomUUID } from 'node:crypto';
import { uuidOf } from '@agentmesh/lib/idempotency';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { FastifyRequest } from 'fastify';
import { type Context, unary } from '../../context.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { askElsewhere } from '../../edge/streams/ask-elsewhere.ts';
import { isGoing, runEnd } from '../run-end.ts';
import type { Trigger } from './trigger.ts';

export type TriggerContext = Pick<Context, 'runs' | 'sessions' | 'arriving' | 'draining'>;

/** A message for an app. */
export interface Triggered {
  readonly request: FastifyRequest;
  readonly appName: string;
  readonly trigger: Trigger;
  /** Aborts when the sender leaves: it delivers the message again, and another delivery waits for the run. */
  readonly left: AbortSignal;
}

/** Runs that one message may have, each after one that has failed. */
const mostRuns = 8;
/** Pub/Sub waits for an answer no longer. */
const longestMs = 600_000;

/**
 * Runs an agent with a message, and waits for the end of the run. The key and the id of a run are made of the message and of its number, so deliveries of one
 * message share a run, whatever process gets them; only a delivery that finds the run failed begins the next one. Returns the latest run as it is then.
 */
export async function runTriggered(context: TriggerContext, triggered: Triggered): Promise<LedgerRun | undefined> {
  const { draining } = context;
  let run: LedgerRun | undefined;
  for (let number = 1; number <= mostRuns; number += 1) {
    const { session, invocationId, already } = await start(context, triggered, number);
    const name = { ...session, invocationId };
    run = (await context.sessions.getRun(name, unary)).run;
    if (already && run?.status === RunStatus.FAILED) continue;
    const signal = AbortSignal.any([triggered.left, draining, AbortSignal.timeout(longestMs)]);
    return isGoing(run) ? runEnd(context, name, signal) : run;
  }
  return run;
}

/** Starts the run, unless it has been started. A copy of its session may have a run with its id, too. */
async function start({ runs, arriving }: TriggerContext, { request, appName, trigger }: Triggered, number: number) {
  const { accountId } = request.identity;
  const { source, id, subscription, event_source: eventSource } = trigger.delivery;
  const place = subscription ?? eventSource ?? '';
  const name = id === null ? randomUUID() : uuidOf('trigger', source, appName, place, id, number);
  const session = { accountId, appName, userId: trigger.userId, sessionId: name };
  const asked = {
    session,
    invocationId: `e-${name}`,
    messageJson: encodeJson({ role: 'user', parts: [{ text: trigger.text }] }),
    stateDeltaJson: encodeJson({ trigger_delivery: trigger.delivery }),
    customMetadataJson: encodeJson({ trigger: source, message_id: id }),
    idempotencyKey: `trigger:${name}`,
    createsSession: true,
  };
  const { invocationId, already } = await arriving.forMessage(request, (left) =>
    askElsewhere(() => runs.startRun(asked, unary), left),
  );
  return { session, invocationId, already };
}
