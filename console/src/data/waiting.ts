import { signal } from '@preact/signals';
import { mesh } from './client.ts';

/** Number of runs that wait for a person, at most 100. */
export const waiting = signal(0);
/** The same as a text: `100+` where more of them wait. */
export const waitingText = signal('0');

export async function countWaiting(): Promise<void> {
  const { items, next } = await mesh.runs.inbox({ limit: 100 }).page();
  waiting.value = items.length;
  waitingText.value = next === undefined ? String(items.length) : `${items.length}+`;
}
