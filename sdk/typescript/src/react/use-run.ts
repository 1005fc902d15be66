import { useEffect, useMemo, useRef, useState } from 'react';
import type { AgentMesh, Answers, Run, RunRequest } from '../index.ts';
import { idle, type RunView, ShownRun } from './run-view.ts';

/** Actions on a run. */
export interface RunActions {
  /** Starts a run, and shows it from now on. */
  start(request: RunRequest): void;
  /** Shows a run that exists. */
  watch(id: string): void;
  /** Stops the run. */
  cancel(): Promise<void>;
  /** Adds a message to the run. */
  steer(text: string): Promise<void>;
  /** Answers what the run waits for, as `RunStream.answer` does. */
  answer(answers: Answers): Promise<void>;
}

/** Starts runs and shows the newest one, or shows the run `id`. A run goes on when its component is gone. */
export function useRun(mesh: AgentMesh, id?: string): RunView & RunActions {
  const [view, setView] = useState(idle);
  const shown = useRef<ShownRun>(undefined);
  const actions = useMemo(() => actionsOf(mesh, shown, setView), [mesh]);
  useEffect(() => {
    if (id !== undefined) actions.watch(id);
    return () => shown.current?.leave();
  }, [actions, id]);
  return { ...view, ...actions };
}

function actionsOf(
  mesh: AgentMesh,
  shown: { current: ShownRun | undefined },
  onView: (view: RunView) => void,
): RunActions {
  const show = (id: Promise<string>): void => {
    shown.current?.leave();
    shown.current = new ShownRun(mesh, id, onView);
  };
  const present = (): ShownRun => {
    if (shown.current === undefined) throw new Error('There is no run yet.');
    return shown.current;
  };
  const act = async (verb: (id: string) => Promise<Run>): Promise<void> => {
    await verb(await present().id);
  };
  return {
    start: (request) => show(mesh.runs.start({ streaming: true, ...request }).then(({ invocationId }) => invocationId)),
    watch: (id) => show(Promise.resolve(id)),
    cancel: () => act((id) => mesh.runs.cancel(id)),
    steer: (text) => act((id) => mesh.runs.steer(id, text)),
    answer: async (answers) => present().answer(answers),
  };
}
