import { useCallback, useEffect, useRef, useState } from 'react';
import type { AgentMesh, Answers, Run } from '../index.ts';
import { asError } from './as-error.ts';
import { useChanges } from './use-changes.ts';

/** The runs that wait for a person. */
export interface Inbox {
  /** Runs that wait for a person, newest first; undefined until they are read for the first time. */
  readonly runs: readonly Run[] | undefined;
  readonly error: Error | undefined;
  /** Answers what a run waits for, as `RunStream.answer` does. */
  answer(run: Run, answers: Answers): Promise<void>;
  /** Reads the list again. */
  reload(): Promise<void>;
}

/** Runs of the account that wait for a person. The list follows what happens. */
export function useInbox(mesh: AgentMesh): Inbox {
  const [runs, setRuns] = useState<readonly Run[]>();
  const [error, setError] = useState<Error>();
  /** Number of the newest reading: an older one that ends later is of no interest. */
  const newest = useRef(0);
  const reload = useCallback(async (): Promise<void> => {
    newest.current += 1;
    const own = newest.current;
    try {
      const { items } = await mesh.runs.inbox({ limit: 100 }).page();
      if (own !== newest.current) return;
      setRuns(items);
      setError(undefined);
    } catch (thrown) {
      if (own === newest.current) setError(asError(thrown));
    }
  }, [mesh]);
  useEffect(
    () => () => {
      newest.current += 1;
    },
    [mesh],
  );
  const changes = useChanges(mesh, ({ gap, ...change }) => {
    if (gap === true || ('kind' in change && change.kind === 'wait')) void reload();
  });
  const answer = async (run: Run, answers: Answers): Promise<void> => {
    await mesh.runs.answer(run, answers, run);
    await reload();
  };
  return { runs, error: error ?? changes.error, answer, reload };
}
