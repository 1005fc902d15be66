import { holdsCredential, isCredentialName } from './credential.ts';

/** Element of a 422 body. The keys are sent in this order. */
export interface Issue {
  readonly type: string;
  readonly loc: (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** An issue without its place. */
export interface Fault {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** Most issues of one answer; a hostile body may have one per byte. */
const issueLimit = 1000;

/** Collects the issues of one request during a check. */
export class Report {
  readonly issues: Issue[] = [];
  readonly path: (string | number)[];
  /** Above zero while the check is inside a value that must not appear in an answer. */
  withheld = 0;

  constructor(root: string) {
    this.path = [root];
  }

  get full(): boolean {
    return this.issues.length >= issueLimit;
  }

  /** Adds an issue at the present path, or at its child `key`. Returns undefined, the value of a failed check. */
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
