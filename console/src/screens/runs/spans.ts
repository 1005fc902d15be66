import type { Event, Run } from '@agentmesh/client';
import { confirmation, type FunctionCall } from '../../parts/turns.ts';

/** Something that took time in a run. */
export interface Span {
  readonly kind: 'queue' | 'run' | 'agent' | 'model' | 'tool' | 'wait';
  readonly name: string;
  readonly agent: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly hasFailed: boolean;
  /** Spans around it; 0 where that is not known. */
  readonly depth?: number;
  /** Tokens that a model got, and that it gave. */
  readonly tokens?: readonly [number, number];
}

/** A call without a response. */
interface OpenCall {
  readonly at: number;
  readonly name: string;
  readonly agent: string;
  readonly isLong: boolean;
}

/** The spans of a run by its events: an answer of a model took the time since the event before it, a tool the time from its call to its response. */
export function spansOf(run: Run, events: readonly Event[]): readonly Span[] {
  const spans: Span[] = [];
  const open = new Map<string, OpenCall>();
  let before = startOf(run, []) ?? run.createTime;
  for (const event of events) {
    const at = event.timestamp ?? before;
    const parts = event.content?.parts ?? [];
    const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    for (const { id, response } of responses) {
      const call = open.get(id ?? '');
      if (call === undefined) continue;
      open.delete(id ?? '');
      spans.push({ ...spanOf(call, at), hasFailed: response?.['error'] !== undefined });
    }
    if (event.author !== 'user' && responses.length === 0 && parts.length > 0 && !isAsking(event)) {
      const [name, agent] = [event.modelVersion ?? '', event.author];
      spans.push({ kind: 'model', name, agent, start: before, end: at, hasFailed: Boolean(event.errorCode) });
    }
    addCalls(open, event, at);
    before = Math.max(at, before);
  }
  const waits = run.status === 'waiting' ? Array.from(open.values()).filter(({ isLong }) => isLong) : [];
  return [...spans, ...waits.map((call) => spanOf(call, Date.now() / 1000))].toSorted((a, b) => a.start - b.start);
}

/** The time in the queue before the first attempt, where it is known and long enough to be seen. */
export function queueOf(run: Run, trace: readonly Span[]): readonly Span[] {
  const [start, end] = [run.createTime, startOf(run, trace) ?? run.createTime];
  return end - start > 0.05 ? [{ kind: 'queue', name: '', agent: '', start, end, hasFailed: false }] : [];
}

/** Start of the first attempt. The record has that of the last one, and the trace of a process that died is missing. */
function startOf({ attempt, startTime }: Run, trace: readonly Span[]): number | undefined {
  if (attempt <= 1) return startTime;
  const attempts = trace.filter(({ kind, depth }) => kind === 'run' && depth === 0);
  return attempts.length === attempt ? Math.min(...attempts.map(({ start }) => start)) : undefined;
}

function spanOf({ at, name, agent, isLong }: OpenCall, end: number): Span {
  return { kind: isLong ? 'wait' : 'tool', name, agent, start: at, end: Math.max(at, end), hasFailed: false };
}

function addCalls(open: Map<string, OpenCall>, event: Event, at: number): void {
  const long = new Set(event.longRunningToolIds ?? []);
  for (const call of callsOf(event)) {
    const id = call.id ?? '';
    open.set(id, { at, name: wantedBy(call), agent: event.author, isLong: long.has(id) });
  }
}

function callsOf({ content }: Event): readonly FunctionCall[] {
  return (content?.parts ?? []).flatMap(({ functionCall }) => functionCall ?? []);
}

/** Whether the event asks for approvals only, which no model has written. */
function isAsking(event: Event): boolean {
  const calls = callsOf(event);
  return calls.length > 0 && calls.every(({ name }) => name === confirmation);
}

/** Name of the tool that is called, or that an approval is asked for. */
function wantedBy({ name, args }: FunctionCall): string {
  const wanted = args?.['originalFunctionCall'] as { readonly name?: string } | undefined;
  return (name === confirmation ? wanted?.name : undefined) ?? name ?? '';
}
