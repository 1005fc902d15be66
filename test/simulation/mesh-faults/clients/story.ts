import { randomUUID } from 'node:crypto';
import type { Caller, SessionJson } from '../../../caller.ts';

/** Most lines of a story; the oldest are dropped. */
const mostLines = 200;

/** The requests of clients for one session of a user of its own, and their answers: the history that a violation is reported with. */
export class Story {
  readonly lane: string;
  readonly caller: Caller;
  /** Without events; without an id until it is created. */
  session: SessionJson;
  readonly lines: string[] = [];

  constructor(lane: string, caller: Caller, app: string) {
    this.lane = lane;
    this.caller = caller;
    const userId = `user-${randomUUID()}`;
    this.session = { id: '', appName: app, userId, state: {}, events: [], lastUpdateTime: 0 };
  }

  note(line: string): void {
    this.lines.push(`${new Date().toISOString().slice(11, 23)} ${line}`);
    if (this.lines.length > mostLines) this.lines.shift();
  }
}
