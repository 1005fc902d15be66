import type { Event } from '@agentmesh/client';

/** The agent's words so far, of a message that has not ended. */
export interface Draft {
  readonly author: string;
  readonly text: string;
  readonly thought: string;
}

export function speakerOf({ author, branch }: Event): string {
  return `${branch ?? ''} ${author}`;
}

export function draftWith(drafts: ReadonlyMap<string, Draft>, event: Event): ReadonlyMap<string, Draft> {
  const key = speakerOf(event);
  const before = drafts.get(key) ?? { author: event.author, text: '', thought: '' };
  const parts = event.content?.parts ?? [];
  const said = (isThought: boolean): string =>
    parts.map((part) => ((part.thought === true) === isThought ? (part.text ?? '') : '')).join('');
  return new Map(drafts).set(key, { ...before, text: before.text + said(false), thought: before.thought + said(true) });
}
