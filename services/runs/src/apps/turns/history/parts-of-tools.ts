import type { Event, Session } from '@google/adk/core';
import type { Part } from '@google/genai';

/** The number of the first events of a session that have no parts of tools. Copies and JSON leave this property out. */
const plainKey = Symbol('plain');

/** True when an event has a call of a tool or a response to one. */
export function hasPartOfTool({ content }: Pick<Event, 'content'>): boolean {
  return content?.parts?.some(isPartOfTool) === true;
}

export function isPartOfTool({ functionCall, functionResponse }: Part): boolean {
  return functionCall !== undefined || functionResponse !== undefined;
}

/** Notes that the first events of a session have no parts of tools, so that they are not read again for each call of a model. */
export function notePlain(session: Session, count: number): void {
  Object.defineProperty(session, plainKey, { value: count });
}

/** True when an event of a session has a part of a tool. */
export function hasPartsOfTools(session: Session): boolean {
  const { events } = session;
  for (let index = plainOf(session); index < events.length; index += 1) {
    const event = events[index];
    if (event !== undefined && hasPartOfTool(event)) return true;
  }
  return false;
}

/** The number that was noted; 0 without one. */
export function plainOf(session: Session): number {
  const count: unknown = Reflect.get(session, plainKey);
  return typeof count === 'number' ? count : 0;
}
