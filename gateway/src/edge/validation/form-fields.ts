/** An urlencoded body: only routes that take a form read its fields, to all others it is text. */
export class FormFields {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The last value of each field. */
  get fields(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.text));
  }
}
