/** An urlencoded body. Routes that take a form read its fields; for other routes it is a text. */
export class FormFields {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Last value of each field. */
  get fields(): Record<string, string> {
    return Object.fromEntries(new URLSearchParams(this.text));
  }
}
