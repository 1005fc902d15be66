import { createEvent, type Event } from '@google/adk/core';

/** Collects the pieces of answers that are being streamed, so that they can be kept when the run is cancelled. */
export interface UnfinishedTexts {
  /** Adds the text of a partial event. Thoughts are left out. */
  add(event: Event): void;
  /** Forgets the text of an agent whose whole event has come. */
  finish(event: Event): void;
  /** Makes an event of each text, marked as interrupted and with the error; one of `author` without text when there is none. */
  interrupt(author: string, error: { readonly errorCode: string; readonly errorMessage: string }): Event[];
}

interface UnfinishedText {
  readonly author: string;
  readonly branch?: string;
  readonly text: string;
}

export function createUnfinishedTexts(): UnfinishedTexts {
  return new TextsByAgent();
}

class TextsByAgent implements UnfinishedTexts {
  /** Made for the first piece: most runs have none. */
  #texts: Map<string, UnfinishedText> | undefined;

  add(event: Event): void {
    const { author = '', branch, content } = event;
    for (const { text, thought } of content?.parts ?? []) {
      if (text === undefined || text === '' || thought === true) continue;
      this.#texts ??= new Map();
      const name = nameOf(event);
      const before = this.#texts.get(name)?.text ?? '';
      this.#texts.set(name, { author, ...(branch && { branch }), text: before + text });
    }
  }

  finish(event: Event): void {
    if (this.#texts !== undefined && this.#texts.size > 0) this.#texts.delete(nameOf(event));
  }

  interrupt(author: string, error: { readonly errorCode: string; readonly errorMessage: string }): Event[] {
    const all = [...(this.#texts?.values() ?? [])];
    this.#texts = undefined;
    if (all.length === 0) return [createEvent({ author, ...error, interrupted: true })];
    return all.map(({ text, ...source }) =>
      createEvent({ ...source, ...error, content: { role: 'model', parts: [{ text }] }, interrupted: true }),
    );
  }
}

/** Parallel agents have different branches. */
function nameOf({ author = '', branch = '' }: Event): string {
  return JSON.stringify([branch, author]);
}
