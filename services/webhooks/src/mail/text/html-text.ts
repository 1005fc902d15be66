import { type Attribute, Concealed, isConcealed } from './concealed.ts';
import { blockTags, droppedTags } from './html-tags.ts';

const hrefMaxLength = 2_048;

/** Collects the visible text of a document from its tags, in their order. */
export class HtmlText {
  readonly #parts: string[] = [];
  /** Line breaks to write before the next text. */
  #breaks = 0;
  #space = false;
  #preformatted = 0;
  /** The element whose content is not shown, while inside one. */
  #concealed: Concealed | undefined;
  #link: { href: string; text: string } | undefined;
  #steps = 0;

  /** Tags read so far. For tests. */
  get steps(): number {
    return this.#steps;
  }

  open(tag: string, attributes: readonly Attribute[], selfClosing: boolean): void {
    this.#steps += 1;
    if (this.#concealed?.open(tag)) return;
    this.#concealed = undefined;
    if (droppedTags.has(tag) || isConcealed(attributes)) {
      this.#concealed = selfClosing ? undefined : Concealed.by(tag);
      this.#break(tag);
      return;
    }
    this.#break(tag);
    if (tag === 'a') this.#openLink(attributes);
    else if (tag === 'pre') this.#preformatted += 1;
    else if (tag === 'li') this.#write('- ');
    else if (tag === 'td' || tag === 'th') this.#space = true;
  }

  close(tag: string): void {
    this.#steps += 1;
    if (this.#concealed !== undefined) {
      const state = this.#concealed.close(tag);
      if (state === 'inside') return;
      this.#concealed = undefined;
      if (state === 'ended') return this.#break(tag);
    }
    if (tag === 'a') this.#closeLink();
    if (tag === 'pre') this.#preformatted = Math.max(0, this.#preformatted - 1);
    this.#break(tag);
  }

  add(text: string): void {
    if (this.#concealed !== undefined) return;
    if (this.#preformatted > 0) return this.#write(text);
    for (const word of text.split(/([ \t\r\n\f]+)/)) {
      if (word === '') continue;
      if (/^[ \t\r\n\f]/.test(word)) this.#space = true;
      else this.#write(word);
    }
  }

  toString(): string {
    this.#closeLink();
    return this.#parts.join('').trim();
  }

  #break(tag: string): void {
    if (tag === 'br') this.#breaks = Math.min(2, this.#breaks + 1);
    else if (tag === 'p') this.#breaks = 2;
    else if (blockTags.has(tag)) this.#breaks = Math.max(1, this.#breaks);
  }

  #write(text: string): void {
    if (this.#breaks > 0) this.#parts.push('\n'.repeat(this.#breaks));
    else if (this.#space) this.#parts.push(' ');
    this.#breaks = 0;
    this.#space = false;
    this.#parts.push(text);
    if (this.#link !== undefined && this.#link.text.length < hrefMaxLength) this.#link.text += text;
  }

  #openLink(attributes: readonly Attribute[]): void {
    this.#closeLink();
    const href = attributes.find(({ name }) => name === 'href')?.value.trim() ?? '';
    if (/^(https?:|mailto:)/i.test(href)) this.#link = { href: href.slice(0, hrefMaxLength), text: '' };
  }

  /** Writes the address of a link after its text, unless the text is the address. */
  #closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (link === undefined || link.text === '') return;
    if (link.text !== link.href.replace(/^mailto:/i, '')) this.#parts.push(` (${link.href})`);
  }
}
