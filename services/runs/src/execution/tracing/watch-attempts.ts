import { spanWatcher, watchSpan } from '@agentmesh/lib/spans';
import { whenOver } from '@agentmesh/lib/wait';
import { accountHash, isTracing, type Logger } from '@agentmesh/lib/telemetry';
import type { SessionsService, Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { Ending } from '../attempt/execution-deps.ts';
import { AttemptTrace, type LineSink } from './attempt-trace.ts';

/** Takes the spans of an attempt that has ended. */
export type TraceSink = (turn: Turn, trace: SeenAttempt) => void;

/** The spans of an attempt that has ended. */
type SeenAttempt = Pick<AttemptTrace, 'seen' | 'spans'>;

/** The receivers of what attempts show. */
interface Sinks {
  readonly traces: readonly TraceSink[];
  readonly lines?: LineSink | undefined;
}

/** The wrappers that see attempts. */
export interface WatchedAttempts {
  readonly around: (turn: Turn, attempt: () => Promise<Ending>) => Promise<Ending>;
  /** A client that notices the events of attempts. */
  readonly noticing: (sessions: Client<typeof SessionsService>) => Client<typeof SessionsService>;
}

/** Sees the spans and lines of runs, of a part of all runs below `sample` 1. All attempts of a run are seen, or none. */
export function watchAttempts(sample: number, { traces, lines }: Sinks, log: Logger): WatchedAttempts {
  const pass = (sink: TraceSink, turn: Turn, trace: SeenAttempt): void => {
    try {
      sink(turn, trace);
    } catch (err) {
      // The attempt is over and stored: its spans must not change how it has ended.
      log.error({ err, invocationId: turn.invocationId }, 'the spans of an attempt were dropped');
    }
  };
  return {
    around: (turn, attempt) => {
      const { session, invocationId } = turn;
      if (session === undefined || !isSampled(invocationId, sample)) return attempt();
      const trace = new AttemptTrace(turn, lines);
      const attributes = {
        'gcp.vertex.agent.invocation_id': invocationId,
        'gen_ai.conversation.id': session.sessionId,
        'agentmesh.app.name': session.appName,
        ...(isTracing() && { 'agentmesh.account.hash': accountHash(session.accountId) }),
      };
      return whenOver(watchSpan(trace, { name: 'invocation', attributes }, attempt), () => {
        trace.end();
        for (const sink of traces) pass(sink, turn, trace);
      });
    },
    noticing: (sessions) => ({
      ...sessions,
      appendEvents: (request, options) => {
        const trace = spanWatcher();
        if (trace instanceof AttemptTrace) trace.note((request.events ?? []) as Parameters<AttemptTrace['note']>[0]);
        return sessions.appendEvents(request, options);
      },
    }),
  };
}

/** Whether a run is in a sample. Ids of runs end in random hex digits. */
export function isSampled(invocationId: string, sample: number): boolean {
  return sample >= 1 || Number.parseInt(invocationId.slice(-8), 16) / 2 ** 32 < sample;
}
