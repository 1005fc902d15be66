/** Where a message comes from. */
export interface Origin {
  /** Name of the service that sent it. Not proven: a receiver asks the owner of a fact before it acts. */
  readonly sender: string;
  /** W3C trace context in which it was sent. */
  readonly traceparent?: string | undefined;
}
