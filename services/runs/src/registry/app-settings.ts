import { LeavePolicy } from '@agentmesh/proto/runs/v1';
import { Multitask } from '@agentmesh/proto/sessions/v1';
import type { RootKeys } from './files/root-keys.ts';

/** What the file of an app's root agent says about the runs of the app. A request may say otherwise. */
export interface AppSettings {
  readonly multitask: Multitask;
  readonly onLeave: LeavePolicy;
}

const multitasks = {
  enqueue: Multitask.ENQUEUE,
  reject: Multitask.REJECT,
  interrupt: Multitask.INTERRUPT,
} as const;

const policies = { continue: LeavePolicy.CONTINUE, cancel: LeavePolicy.CANCEL } as const;

/** The usual way: runs wait for each other, and go on when their clients leave. */
export const usualSettings: AppSettings = { multitask: Multitask.ENQUEUE, onLeave: LeavePolicy.CONTINUE };

/** The settings of the root agent's file. */
export function appSettingsOf({ multitask, on_disconnect: onDisconnect }: RootKeys): AppSettings {
  return {
    multitask: multitask === undefined ? usualSettings.multitask : multitasks[multitask],
    onLeave: onDisconnect === undefined ? usualSettings.onLeave : policies[onDisconnect],
  };
}
