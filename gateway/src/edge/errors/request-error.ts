import type { Issue } from '../validation/index.ts';

/** An answer of the edge itself, for a reason that no service has to be asked about. */
export class HttpError extends Error {
  override readonly name: string = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `message` is public: it becomes `detail`. */
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export class BadRequest extends HttpError {
  override readonly name = 'BadRequest';

  constructor(message: string) {
    super(400, message);
  }
}

/** 422: the body says what is wrong where. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('The request is not valid.');
    this.issues = issues;
  }
}
