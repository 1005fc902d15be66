/** A server of the Model Context Protocol cannot be used. The message is for models and authors of apps. */
export class McpFailure extends Error {
  override readonly name = 'McpFailure';
  /** The same for logs: without words of the server, which may repeat secrets that it was sent. */
  readonly loggable: string;

  constructor(message: string, options: ErrorOptions & { readonly loggable?: string } = {}) {
    super(message, options);
    this.loggable = options.loggable ?? message;
  }
}
