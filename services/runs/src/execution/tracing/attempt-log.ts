import type { Turn } from '@agentmesh/proto/sessions/v1';
import type { RunLine } from '../../tell-run.ts';

/** Most lines of a run, and most bytes of their JSON. */
export const [mostLines, mostBytes] = [1_000, 256 * 1_024];
/** Most characters of a line and of an attribute. */
const longestText = 4_096;
const cutMark = '… (cut)';

/** Lines and bytes. */
export interface Size {
  readonly lines: number;
  readonly bytes: number;
}

/** A part of an attempt that is to be stored: lines and where they stand, or without lines the number of those that were left out. */
export interface LogPart {
  readonly place: number;
  readonly json: string;
  readonly count: number;
  readonly bytes: number;
  readonly leftOut: number;
}

/** The lines of one attempt that wait to be stored. When one does not fit into what the run may have, those behind it are left out too. */
export class AttemptLog {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
  readonly attempt: number;
  /** Earlier attempts may have taken a part of the bounds. */
  isMeasured = false;
  #waiting: string[] = [];
  #once: Set<string> | undefined;
  /** Lines and bytes of this attempt, stored or waiting. */
  #taken = { lines: 0, bytes: 0 };
  #earlier: Size = { lines: 0, bytes: 0 };
  #isFull = false;
  #leftOut = 0;
  #toldLeftOut = 0;

  constructor({ session, invocationId, attempt }: Turn) {
    const { accountId = '', appName = '', userId = '', sessionId = '' } = session ?? {};
    this.accountId = accountId;
    this.appName = appName;
    this.userId = userId;
    this.sessionId = sessionId;
    this.invocationId = invocationId;
    this.attempt = attempt;
  }

  /** Answers the bytes that wait for it. */
  add(line: RunLine): number {
    if (line.isOnce === true && !this.#isFirst(line.message)) return 0;
    const json = this.#isFull ? '' : printLine(line, this.attempt);
    const bytes = Buffer.byteLength(json);
    this.#isFull ||= !this.#fits({ lines: 1, bytes });
    if (this.#isFull) {
      this.leaveOut(1);
      return 0;
    }
    this.#taken = { lines: this.#taken.lines + 1, bytes: this.#taken.bytes + bytes };
    this.#waiting.push(json);
    return bytes;
  }

  leaveOut(lines: number): void {
    this.#leftOut += lines;
  }

  /** Notes what earlier attempts have stored. */
  measure(earlier: Size): void {
    this.isMeasured = true;
    this.#earlier = earlier;
    while (this.#waiting.length > 0 && !this.#fits({ lines: 0, bytes: 0 })) {
      const bytes = Buffer.byteLength(this.#waiting.pop() ?? '');
      this.#taken = { lines: this.#taken.lines - 1, bytes: this.#taken.bytes - bytes };
      this.#isFull = true;
      this.leaveOut(1);
    }
  }

  /** Takes what is to be stored. */
  take(): LogPart[] {
    const lines = this.#waiting;
    this.#waiting = [];
    const parts: LogPart[] = [];
    if (lines.length > 0) {
      const json = `[${lines.join()}]`;
      const place = this.#taken.lines - lines.length;
      parts.push({ place, json, count: lines.length, bytes: Buffer.byteLength(json), leftOut: 0 });
    }
    if (this.#leftOut > this.#toldLeftOut) {
      this.#toldLeftOut = this.#leftOut;
      parts.push({ place: mostLines, json: '[]', count: 0, bytes: 0, leftOut: this.#leftOut });
    }
    return parts;
  }

  #isFirst(message: string): boolean {
    this.#once ??= new Set();
    return !this.#once.has(message) && this.#once.add(message).has(message);
  }

  #fits({ lines, bytes }: Size): boolean {
    return (
      this.#earlier.lines + this.#taken.lines + lines <= mostLines &&
      this.#earlier.bytes + this.#taken.bytes + bytes <= mostBytes
    );
  }
}

function printLine({ level, message, source = 'mesh', attributes }: RunLine, attempt: number): string {
  const line = { time: Date.now() / 1_000, level, message, source, attempt, ...(attributes && { attributes }) };
  return JSON.stringify(line, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value));
}

/** Code prints any text. PostgreSQL takes no NUL and no half of a surrogate pair, which is left also where a text was cut. */
function storable(text: string): string {
  const cut = text.length <= longestText ? text : text.slice(0, longestText - cutMark.length) + cutMark;
  return cut.toWellFormed().replaceAll('\0', '\ufffd');
}
