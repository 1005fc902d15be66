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

/** 413 for a body that is larger than its route takes. */
export function bodyTooLarge(): HttpError {
  return new HttpError(413, 'The request body is too large.');
}

/** 403 for a personal token that is bound to another end user than the request names. */
export function userForeign(): HttpError {
  return new HttpError(403, 'This token is bound to another user_id.');
}

export class BadRequest extends HttpError {
  override readonly name = 'BadRequest';

  constructor(message: string) {
    super(400, message);
  }
}

/** 422 with the list of issues as body. Its code is the reason of the service that has found the fault, or `request_invalid`. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly issues: readonly Issue[];
  readonly code: string;

  constructor(issues: readonly Issue[], code = 'request_invalid') {
    super('The request is not valid.');
    this.issues = issues;
    this.code = code;
  }
}

/** 422 for two fields of a body that exclude each other. It blames the second one. */
export function exclusive(first: string, second: string): InvalidRequest {
  const error = `${first} and ${second} exclude each other`;
  const issue = { type: 'value_error', loc: ['body', second], msg: `Value error, ${error}`, input: null };
  return new InvalidRequest([{ ...issue, ctx: { error } }]);
}
