/** Whom a message is from and for, as the server is told: addresses alone. */
export interface Envelope {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Called when all but the last byte has been sent; false: it must not be. From here on the other side may have it. */
  beforeEnd(): Promise<boolean>;
}
