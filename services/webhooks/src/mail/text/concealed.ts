import { containerTags, endedBy, voidTags } from './html-tags.ts';

export interface Attribute {
  readonly name: string;
  readonly value: string;
}

/** The open element whose content is not shown. Tags arrive as they are written, so missing end tags are found here. */
export class Concealed {
  readonly #tag: string;
  /** Open elements with the same name, this one included. */
  #depth = 1;
  /** Open tables and lists inside. */
  #containers = 0;

  private constructor(tag: string) {
    this.#tag = tag;
  }

  /** Returns the state after the start tag; undefined for an element without content. */
  static by(tag: string): Concealed | undefined {
    return voidTags.has(tag) ? undefined : new Concealed(tag);
  }

  /** Takes a start tag, and returns whether it is inside. When it is not, the element has ended before it. */
  open(tag: string): boolean {
    if (this.#containers === 0 && endedBy[this.#tag]?.has(tag)) return false;
    if (tag === this.#tag) this.#depth += 1;
    else if (containerTags.has(tag)) this.#containers += 1;
    return true;
  }

  /** Takes an end tag. `ended`: it was the element's own. `left`: it belongs to an element around this one. */
  close(tag: string): 'inside' | 'ended' | 'left' {
    if (tag === this.#tag) {
      this.#depth -= 1;
      return this.#depth === 0 ? 'ended' : 'inside';
    }
    if (!containerTags.has(tag)) return this.#isAround(tag) ? 'left' : 'inside';
    if (this.#containers === 0) return this.#tag in endedBy ? 'left' : 'inside';
    this.#containers -= 1;
    return 'inside';
  }

  /** A row ends its cells, and a part of a table its rows. */
  #isAround(tag: string): boolean {
    if (this.#containers > 0) return false;
    const isRowPart = tag === 'tbody' || tag === 'thead' || tag === 'tfoot';
    if (this.#tag === 'td' || this.#tag === 'th') return tag === 'tr' || isRowPart;
    return this.#tag === 'tr' && isRowPart;
  }
}

const styleMaxLength = 4_096;
const concealing = [
  /(?:^|;)\s*display\s*:\s*none/,
  /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/,
  /(?:^|;)\s*opacity\s*:\s*(?:0?\.)?0+(?:%|\s|;|!|$)/,
  /(?:^|;)\s*font-size\s*:\s*(?:0?\.)?0+(?:[a-z%]|\s|;|!|$)/,
  /(?:^|;)\s*font\s*:[^;]*\s(?:0?\.)?0+(?:px|pt|em|rem|%|\/|\s)/,
  /(?:^|;)\s*max-height\s*:\s*0+(?:[a-z%]|\s|;|!|$)/,
  /(?:^|;)\s*mso-hide\s*:\s*all/,
];

/** Returns whether an element is not shown: by the attribute `hidden`, or by its own style. Style sheets are not applied. */
export function isConcealed(attributes: readonly Attribute[]): boolean {
  if (attributes.some(({ name }) => name === 'hidden')) return true;
  const style = attributes.find(({ name }) => name === 'style')?.value;
  if (style === undefined) return false;
  const declarations = plainStyle(style.slice(0, styleMaxLength));
  return concealing.some((pattern) => pattern.test(declarations));
}

/** Lower case, without CSS comments and escapes, which could hide a keyword from a search. */
function plainStyle(style: string): string {
  return style
    .replace(/\/\*.*?(?:\*\/|$)/gs, '')
    .replace(/\\([0-9a-fA-F]{1,6})\s?/g, (_, hex: string) =>
      String.fromCodePoint(Math.min(0x10ffff, parseInt(hex, 16))),
    )
    .replace(/\\/g, '')
    .toLowerCase();
}
