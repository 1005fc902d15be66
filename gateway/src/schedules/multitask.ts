import { Multitask } from '@agentmesh/proto/sessions/v1';

/** Names of what a run does to another one of its session. */
export const multitaskNames = ['enqueue', 'reject', 'interrupt', 'rollback'] as const;
export type MultitaskName = (typeof multitaskNames)[number];

const values: Readonly<Record<MultitaskName, Multitask>> = {
  enqueue: Multitask.ENQUEUE,
  reject: Multitask.REJECT,
  interrupt: Multitask.INTERRUPT,
  rollback: Multitask.ROLLBACK,
};

/** The value of a name; null: the app decides. */
export function multitaskOf(name: MultitaskName | null): Multitask {
  return name === null ? Multitask.UNSPECIFIED : values[name];
}

/** The name of a value; null for one without a name. */
export function nameOfMultitask(multitask: Multitask): MultitaskName | null {
  return multitaskNames.find((name) => values[name] === multitask) ?? null;
}
