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
  const texts = new Map<string, UnfinishedText>();
  return {
    add(event) {
      const { author = '', branch, content } = event;
      for (const { text, thought } of content?.parts ?? []) {
        if (text === undefined || text === '' || thought === true) continue;
        const name = nameOf(event);
        texts.set(name, { author, ...(branch && { branch }), text: (texts.get(name)?.text ?? '') + text });
      }
    },
    finish(event) {
      if (texts.size > 0) texts.delete(nameOf(event));
    },
    interrupt(author, error) {
      const all = [...texts.values()];
      texts.clear();
      if (all.length === 0) return [createEvent({ author, ...error, interrupted: true })];
      return all.map(({ text, ...source }) =>
        createEvent({ ...source, ...error, content: { role: 'model', parts: [{ text }] }, interrupted: true }),
      );
    },
  };
}

/** Parallel agents have different branches. */
function nameOf({ author = '', branch = '' }: Event): string {
  return JSON.stringify([branch, author]);
}
