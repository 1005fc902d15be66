import { holdsCredential, isCredentialName } from './credential.ts';

/** One element of a 422 body, its keys in the order in which they are sent. */
export interface Issue {
  readonly type: string;
  readonly loc: (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** What is wrong, before it is known where. */
export interface Fault {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** A hostile body may hold one mistake per byte; nobody reads beyond this many. */
const issueLimit = 1000;

/** Collects the issues of one request while a check walks through it. */
export class Report {
  readonly issues: Issue[] = [];
  readonly path: (string | number)[];
  /** Above zero while the walk is at a place whose value must not be repeated in an answer. */
  withheld = 0;

  constructor(root: string) {
    this.path = [root];
  }

  get full(): boolean {
    return this.issues.length >= issueLimit;
  }

  /** Adds an issue at the present path, or at its child `key`. Answers undefined, the value of a check that failed. */
  add(fault: Fault, input: unknown, key?: string | number): undefined {
    if (this.full) return undefined;
    const loc = key === undefined ? [...this.path] : [...this.path, key];
    const shown = this.withheld === 0 && !isCredentialName(loc.at(-1)) && !holdsCredential(input);
    this.issues.push({
      type: fault.type,
      loc,
      msg: fault.msg,
      ...(shown ? { input } : {}),
      ...(fault.ctx === undefined ? {} : { ctx: fault.ctx }),
    });
    return undefined;
  }
}
