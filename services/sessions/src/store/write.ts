import type { Statement } from '@agentmesh/lib/pg';
import type { StateChange } from '../state-delta.ts';
import { insertNonces, nonceParameters } from './credential-requests.ts';
import { eventParameters, insertEvent, insertEvents, type StoredEvent } from './events.ts';
import { stateParameters, writeState } from './state.ts';

/** What a statement adds to a session beside its own purpose. */
export interface Write {
  readonly events: readonly StoredEvent[];
  readonly changes: readonly StateChange[];
}

/** SQL that adds what a write carries. */
interface WriteSql {
  /** CTEs, each led by a comma. */
  readonly ctes: string;
  /** Number of the first parameter after those of the write. */
  readonly next: number;
}

/**
 * A statement in the shapes that writes come in. Each shape is a prepared statement of its own: most writes carry one event
 * and no state, and a step of a plan costs even where it has nothing to do.
 *
 * `build` gets the CTEs for the write, which add to the one row of relation `source`; their parameters start at `first`.
 */
export function shapedStatement(
  options: { name: string; source: string; first: number },
  build: (write: WriteSql) => string,
): (write: Write) => Statement {
  const statements = new Map<string, Statement>();
  return (write) => {
    const shape = `${eventShape(write)}${write.changes.length > 0 ? '+state' : ''}${asks(write) ? '+nonces' : ''}`;
    let statement = statements.get(shape);
    if (statement === undefined) {
      statement = { name: `${options.name}:${shape}`, text: build(writeSql(write, options)), groupCommit: true };
      statements.set(shape, statement);
    }
    return statement;
  };
}

/** The parameters of a write, in the order of its shape. */
export function writeParameters(write: Write): unknown[] {
  const { events, changes } = write;
  return [
    ...(events.length > 0 ? eventParameters(events) : []),
    ...(changes.length > 0 ? stateParameters(changes) : []),
    ...(nonceParameters(events) ?? []),
  ];
}

function writeSql(write: Write, { source, first }: { source: string; first: number }): WriteSql {
  const ctes: string[] = [];
  let next = first;
  if (write.events.length > 0) {
    const insert = write.events.length === 1 ? insertEvent(source, next) : insertEvents(source, next);
    ctes.push(`stored as (${insert.text})`);
    next += insert.parameters;
  }
  if (write.changes.length > 0) {
    const state = writeState(source, next);
    ctes.push(state.text);
    next += state.parameters;
  }
  if (asks(write)) {
    const nonces = insertNonces(source, next);
    ctes.push(nonces.text);
    next += nonces.parameters;
  }
  return { ctes: ctes.map((cte) => `, ${cte}`).join(''), next };
}

function asks({ events }: Write): boolean {
  return events.some(({ nonces }) => nonces !== undefined);
}

function eventShape({ events }: Write): string {
  return events.length === 0 ? 'no-event' : events.length === 1 ? 'event' : 'events';
}
