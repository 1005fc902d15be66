/** Takes a text in pieces that end anywhere, and answers its lines. It looks at each piece once: one of a long line does not cost what the line has so far. */
export class LineSplitter {
  readonly #ends: RegExp | string;
  #pieces: string[] = [];

  constructor(ends: RegExp | string) {
    this.#ends = ends;
  }

  /** The lines that end in this piece, without their ends. */
  take(piece: string): string[] {
    const [head = '', ...lines] = piece.split(this.#ends);
    this.#pieces.push(head);
    const rest = lines.pop();
    if (rest === undefined) return [];
    const first = this.rest;
    this.#pieces = [rest];
    return [first, ...lines];
  }

  /** The text behind the last end of a line. */
  get rest(): string {
    return this.#pieces.join('');
  }
}
