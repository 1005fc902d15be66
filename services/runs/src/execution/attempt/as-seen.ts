import type { Turn } from '@agentmesh/proto/sessions/v1';
import { isAddedToRun } from '../../apps/turns/history/added-to-run.ts';
import type { HistoryEvent, HistoryWindow } from '../../apps/turns/history/history-window.ts';

/**
 * The window of a run that is taken over, with its added messages where the agents saw them. An executor hears of a message by the answer to the append of
 * the next event, so the agent that made this event had not seen the message, although it is stored before. Windows of other turns are returned unchanged.
 */
export function asSeen(window: HistoryWindow, { isTakeover, invocationId }: Turn): HistoryWindow {
  if (!isTakeover) return window;
  const events: HistoryEvent[] = [];
  let unseen: HistoryEvent[] = [];
  for (const stored of window.events) {
    const { event } = stored;
    const isOwn = event.invocationId === invocationId;
    if (isOwn && isAddedToRun(event)) {
      unseen.push(stored);
      continue;
    }
    events.push(stored);
    if (!isOwn || event.author === 'user') continue;
    events.push(...unseen);
    unseen = [];
  }
  return { ...window, events: [...events, ...unseen] };
}
