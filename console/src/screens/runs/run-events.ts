import type { Event, NamedRun, Run } from '@agentmesh/client';
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mesh } from '../../data/client.ts';
import { asError, invalidate } from '../../data/query.ts';

interface WatchedRun {
  readonly events: Signal<readonly Event[]>;
  readonly error: Signal<Error | undefined>;
  readonly retry: () => void;
}

/** The whole events of a run, as they come. `key`: that of its record, which is read again at its end. */
export function useRunEvents(run: NamedRun, key: string, status: Run['status'] | undefined): WatchedRun {
  const [events, error] = [useSignal<readonly Event[]>([]), useSignal<Error | undefined>(undefined)];
  const tries = useSignal(0);
  const isWaiting = status === 'waiting';
  useEffect(() => {
    const leaving = new AbortController();
    const watch = async (): Promise<void> => {
      [events.value, error.value] = [[], undefined];
      for await (const event of mesh.runs.watch(run, { signal: leaving.signal })) {
        if (event.gap === undefined && event.partial !== true) events.value = [...events.value, event];
      }
      await invalidate(key, 'runs');
    };
    watch().catch((reason: unknown) => {
      if (!leaving.signal.aborted) error.value = asError(reason);
    });
    return () => leaving.abort();
  }, [key, isWaiting, tries.value]);
  return { events, error, retry: () => (tries.value += 1) };
}
