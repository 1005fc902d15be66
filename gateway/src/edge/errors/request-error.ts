import type { Issue } from '../validation/index.ts';

/** Error that the gateway answers by itself, without asking a service. */
export class HttpError extends Error {
  override readonly name: string = 'HttpError';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  /** `message` is public: clients see it as `detail`. */
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

/** 422 with the list of issues as body. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[]) {
    super('The request is not valid.');
    this.issues = issues;
  }
}
