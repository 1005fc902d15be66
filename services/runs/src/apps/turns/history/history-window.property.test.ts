import { toWireEvent, type WireEvent, completeActions } from '@agentmesh/proto/event';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extendWindow, HistoryEvent, type HistoryWindow, openWindow } from './history-window.ts';

interface Logged {
  readonly wire: WireEvent;
  readonly turnStart: boolean;
}

function logged(id: string, turnStart: boolean): Logged {
  const author = turnStart ? 'user' : 'agent';
  const wire = toWireEvent({ id, author, invocationId: 'e-1', timestamp: 1, actions: completeActions(undefined) });
  return { wire, turnStart };
}

/** The window that the sessions service would send, from the whole log. */
function turnOf(log: readonly Logged[], limit: number, known?: HistoryWindow) {
  const base = log.length - 1;
  const oldest = Math.max(base - limit, 0);
  const next = log.findIndex((event, index) => index >= oldest && index < base && event.turnStart);
  const start = next === -1 ? log.findLastIndex((event, index) => index <= oldest && event.turnStart) : next;
  const isKnown = known !== undefined && base - known.lastSeq <= limit;
  const from = isKnown ? known.lastSeq : oldest === 0 ? 0 : Math.max(start, 0);
  return create(TurnSchema, {
    sessionPk: 1n,
    lastSeq: log.length,
    events: log.slice(from).map(({ wire }) => wire.json),
    knownSeq: isKnown ? known.lastSeq : 0,
    turnStarts: log.flatMap(({ turnStart }, index) => (turnStart && index >= from ? [index + 1] : [])),
  });
}

function idsOf({ events }: HistoryWindow) {
  return events.map(({ event, turnStart }) => `${event.id}${turnStart ? '*' : ''}`);
}

describe('a window kept between turns', () => {
  test('holds the same events as one read completely, after any changes in between', () => {
    // A turn: what it adds, whether others write before it, whether its executor sees and keeps it.
    const turn = fc.record({ own: fc.nat(6), others: fc.array(fc.boolean(), { maxLength: 9 }), kept: fc.boolean() });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 20 }), fc.integer({ min: 1, max: 8 }), (turns, limit) => {
        const log: Logged[] = [];
        let known: HistoryWindow | undefined;
        for (const { own, others, kept } of turns) {
          for (const turnStart of others) log.push(logged(`o${log.length}`, turnStart));
          log.push(logged(`u${log.length}`, true));
          const window = openWindow(turnOf(log, limit, known), known, limit);
          expect(idsOf(window)).toEqual(idsOf(openWindow(turnOf(log, limit), undefined, limit)));
          const added = Array.from({ length: own }, (_, n) => logged(`a${log.length + n}`, false));
          log.push(...added);
          const written = added.map(({ wire }) => wire);
          if (kept) known = extendWindow(window, written);
        }
      }),
    );
  });
});

test('an event keeps no more memory than its own bytes, also one that came as a Buffer of a pool', () => {
  const json = Buffer.from('{"id":"1"}');
  expect(json.buffer.byteLength).toBeGreaterThan(json.length);
  expect(new HistoryEvent(json, false).json.buffer.byteLength).toBe(json.length);
});
