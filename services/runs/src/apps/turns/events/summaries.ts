import type { Event } from '@google/adk/core';
import { type ContentJson, completeActions, type EventJson, type JsonObject } from '@agentmesh/proto/event';

/** Times in Unix seconds, as ADK for Python and this server store them. ADK for JavaScript has fields of its own in its place. */
export interface CompactionRecord {
  readonly startTimestamp: number;
  readonly endTimestamp: number;
  readonly compactedContent: ContentJson;
}

/** A summary that is to be stored. */
export interface NewSummary {
  readonly id: string;
  readonly invocationId: string;
  /** Unix time in seconds. */
  readonly timestamp: number;
  readonly record: CompactionRecord;
  /** Authors of the events that it covers, without the user, the one who spoke last first. */
  readonly authors: readonly string[];
  /** Tokens, as the model reports them. */
  readonly facts: JsonObject;
}

/** The event of a summary, as ADK has it: of the user, without content. */
export function summaryEvent({ id, invocationId, timestamp, record, authors, facts }: NewSummary): EventJson {
  const { startTimestamp, endTimestamp, compactedContent } = record;
  const compaction = { startTimestamp, endTimestamp, compactedContent: compactedContent as JsonObject };
  return {
    id,
    author: 'user',
    invocationId,
    timestamp,
    ...facts,
    customMetadata: { compacted_authors: [...authors] },
    actions: completeActions({ compaction }),
    nodeInfo: { path: '' },
  };
}

/** The record of a summary in an event's actions; undefined for other events. Clients may have imported anything. */
export function compactionOf(actions: object | undefined): CompactionRecord | undefined {
  const { compaction } = (actions ?? {}) as { readonly compaction?: Partial<CompactionRecord> | null };
  const { startTimestamp, endTimestamp, compactedContent } = compaction ?? {};
  if (typeof startTimestamp !== 'number' || typeof endTimestamp !== 'number') return undefined;
  if (typeof compactedContent !== 'object' || compactedContent === null) return undefined;
  return { startTimestamp, endTimestamp, compactedContent };
}

/** The text of a summary. */
export function textOfSummary({ compactedContent: { parts } }: CompactionRecord): string {
  const said: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const texts = said.map((part): unknown =>
    typeof part === 'object' && part !== null ? Reflect.get(part, 'text') : undefined,
  );
  return texts.filter((text) => typeof text === 'string').join('');
}

/** An event in ADK's form: one with a summary gets the fields by which ADK shows it to models. */
export function withSummary(event: Event): Event {
  const record = compactionOf(event.actions);
  if (record === undefined) return event;
  const { startTimestamp, endTimestamp } = record;
  const times = { startTime: startTimestamp * 1000, endTime: endTimestamp * 1000 };
  return Object.assign(event, { isCompacted: true, ...times, compactedContent: textOfSummary(record) });
}

/** The agents that speak in an event: its author, or those of the events that a summary covers, the last one first. */
export function authorsOf(event: Event | undefined): readonly string[] {
  if (event === undefined) return [];
  if (compactionOf(event.actions) === undefined) return event.author === 'user' || !event.author ? [] : [event.author];
  const covered = event.customMetadata?.['compacted_authors'];
  return Array.isArray(covered) ? covered.filter((author) => typeof author === 'string') : [];
}
