import { Multitask } from './gen/agentmesh/sessions/v1/sessions_pb.js';

/** Public names of what a run does to another one of its session. */
export const multitaskNames = ['enqueue', 'reject', 'interrupt', 'rollback'] as const;
export type MultitaskName = (typeof multitaskNames)[number];

const values: Readonly<Record<MultitaskName, Multitask>> = {
  enqueue: Multitask.ENQUEUE,
  reject: Multitask.REJECT,
  interrupt: Multitask.INTERRUPT,
  rollback: Multitask.ROLLBACK,
};

/** The value of a name; null or undefined: the app decides. */
export function multitaskOf(name: MultitaskName | null | undefined): Multitask {
  return name ? values[name] : Multitask.UNSPECIFIED;
}

/** The name of a value; null for one without a name. */
export function nameOfMultitask(multitask: Multitask): MultitaskName | null {
  return multitaskNames.find((name) => values[name] === multitask) ?? null;
}
