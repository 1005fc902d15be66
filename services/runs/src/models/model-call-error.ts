/** A failed model call whose code and message may be shown unchanged. */
export class ModelCallError extends Error {
  override readonly name = 'ModelCallError';
  readonly errorCode: string;

  constructor(errorCode: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.errorCode = errorCode;
  }
}
