/** Sender and recipient of a message, as addresses without names. */
export interface Envelope {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Called before the last byte is sent. False: do not send it. After this the server may have the message. */
  beforeEnd(): Promise<boolean>;
}
