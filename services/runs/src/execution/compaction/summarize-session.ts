import { randomUUID } from 'node:crypto';
import type { Event } from '@google/adk/core';
import { toWireEvent } from '@agentmesh/proto/event';
import { MeshError } from '@agentmesh/lib/rpc';
import {
  type ClaimCompactionResponse,
  RunStatus,
  type SessionKey,
  type SessionsService,
} from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { fromPublicEvent } from '../../apps/turns/events/event-json.ts';
import { authorsOf, compactionOf, summaryEvent } from '../../apps/turns/events/summaries.ts';
import type { Models } from '../../models/index.ts';
import type { CompactionRule } from '../../apps/definition/settings/compaction-rule.ts';
import type { SummaryModel } from '../../apps/files/summary-model.ts';
import { askSummary, type Summary } from './ask-summary.ts';
import { askingInvocations, type CompactableEvent, cutEvents } from './cut-events.ts';
import { printConversation } from './print-conversation.ts';

/** A session that may be due to be summarized. */
export interface CompactionJob {
  readonly session: SessionKey;
  /** The run that has just ended. The model's use counts for it. */
  readonly invocationId: string;
  readonly rule: CompactionRule;
  readonly model: SummaryModel;
  /** The last request of a model has reached the threshold of the rule. */
  readonly isLarge: boolean;
}

export interface SummarizeDeps {
  readonly sessions: Client<typeof SessionsService>;
  readonly models: Models;
}

const timeoutMs = 10_000;
/** Most runs that are asked whether they are over. Others count as not over. */
const mostAsked = 20;
/** Most authors that a summary names. */
const mostAuthors = 20;

/** Summarizes a session if it is due and nobody else does. Returns whether a summary was stored. */
export async function summarizeSession(deps: SummarizeDeps, job: CompactionJob, signal: AbortSignal): Promise<boolean> {
  const { session, rule, isLarge } = job;
  const { interval = 1, overlap, retain } = rule;
  const due = isLarge ? { interval: 1, overlap: 0, retain } : { interval, overlap, retain: 0 };
  const claimed = await deps.sessions.claimCompaction({ session, ...due }, { timeoutMs, signal });
  if (claimed.sessionPk === 0n) return false;
  const events = await chooseEvents(deps, job, claimed);
  const last = events.at(-1);
  if (last === undefined || last.seq <= claimed.coveredSeq) return false;
  const covered = [...claimed.summaries.map(fromPublicEvent), ...events.map(({ event }) => event)];
  const conversation = printConversation(covered);
  if (conversation === '') return false;
  const caller = { ...namesOf(session), invocationId: job.invocationId };
  const request = { model: job.model, template: rule.promptTemplate, conversation, caller, signal };
  const summary = await askSummary(deps.models, request);
  const event = toWireEvent(eventOf(covered, summary));
  const { sessionPk, viewSeq } = claimed;
  const stored = { session, sessionPk, viewSeq, lastSeq: last.seq, event };
  return (await deps.sessions.storeCompaction(stored, { timeoutMs, signal })).stored;
}

function namesOf({ accountId, appName, userId }: SessionKey) {
  return { accountId, appName, userId };
}

async function chooseEvents(
  { sessions }: SummarizeDeps,
  { session }: CompactionJob,
  { events: rows, more, hasOpenRun }: ClaimCompactionResponse,
): Promise<readonly CompactableEvent[]> {
  const events = rows.map(({ seq, turnStart, json }) => ({ seq, turnStart, event: fromPublicEvent(json) }));
  const over = new Set<string>();
  for (const invocationId of askingInvocations(events).slice(0, mostAsked)) {
    if (await isOver(sessions, session, invocationId)) over.add(invocationId);
  }
  return cutEvents(events, { more, hasOpenRun, isOpen: (invocationId) => !over.has(invocationId) });
}

const unfinished = [RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING];

/** An invocation that was imported has no run. */
async function isOver(
  sessions: SummarizeDeps['sessions'],
  { accountId, appName, userId, sessionId }: SessionKey,
  invocationId: string,
): Promise<boolean> {
  if (invocationId === '') return true;
  try {
    const name = { accountId, appName, userId, sessionId, invocationId };
    const { run } = await sessions.getRun(name, { timeoutMs });
    return run === undefined || !unfinished.includes(run.status);
  } catch (error) {
    if (error instanceof MeshError && error.code === 'not_found') return true;
    throw error;
  }
}

function eventOf(covered: readonly Event[], { text, facts }: Summary) {
  const [first] = covered;
  const startTimestamp = compactionOf(first?.actions)?.startTimestamp ?? (first?.timestamp ?? 0) / 1000;
  const endTimestamp = (covered.at(-1)?.timestamp ?? 0) / 1000;
  const authors = new Set(covered.toReversed().flatMap((event) => authorsOf(event)));
  return summaryEvent({
    id: randomUUID(),
    invocationId: `e-${randomUUID()}`,
    timestamp: Date.now() / 1000,
    record: { startTimestamp, endTimestamp, compactedContent: { role: 'model', parts: [{ text }] } },
    authors: [...authors].slice(0, mostAuthors),
    facts,
  });
}
