import { useEffect, useMemo, useRef, useState } from 'react';
import type { AgentMesh, Answers, NamedRun, Run, RunRequest } from '../index.ts';
import { idOf, placeOf } from '../runs/named-run.ts';
import { idle, type RunView, ShownRun } from './run-view.ts';

/** Actions on a run. */
export interface RunActions {
  /** Starts a run, and shows it from now on. */
  start(request: RunRequest): void;
  /** Shows a run that exists. */
  watch(run: NamedRun): void;
  /** Stops the run. */
  cancel(): Promise<void>;
  /** Adds a message to the run. */
  steer(text: string): Promise<void>;
  /** Answers what the run waits for, as `RunStream.answer` does. */
  answer(answers: Answers): Promise<void>;
}

/** Starts runs and shows the newest one, or shows the run `run`. A run goes on when its component is gone. */
export function useRun(mesh: AgentMesh, run?: NamedRun): RunView & RunActions {
  const [view, setView] = useState(idle);
  const shown = useRef<ShownRun>(undefined);
  const actions = useMemo(() => actionsOf(mesh, shown, setView), [mesh]);
  // A record that is read again names the same run.
  const name = run === undefined ? undefined : JSON.stringify([idOf(run), placeOf(run)]);
  useEffect(() => {
    if (run !== undefined) actions.watch(run);
    return () => shown.current?.leave();
  }, [actions, name]);
  return { ...view, ...actions };
}

function actionsOf(
  mesh: AgentMesh,
  shown: { current: ShownRun | undefined },
  onView: (view: RunView) => void,
): RunActions {
  const show = (run: Promise<NamedRun>): void => {
    shown.current?.leave();
    shown.current = new ShownRun(mesh, run, onView);
  };
  const present = (): ShownRun => {
    if (shown.current === undefined) throw new Error('There is no run yet.');
    return shown.current;
  };
  const act = async (verb: (run: NamedRun) => Promise<Run>): Promise<void> => {
    await verb(await present().run);
  };
  return {
    start: (request) => show(mesh.runs.start({ streaming: true, ...request })),
    watch: (run) => show(Promise.resolve(run)),
    cancel: () => act((run) => mesh.runs.cancel(run)),
    steer: (text) => act((run) => mesh.runs.steer(run, text)),
    answer: async (answers) => present().answer(answers),
  };
}
