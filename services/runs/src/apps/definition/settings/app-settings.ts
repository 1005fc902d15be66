import type { JsonObject } from '@agentmesh/proto/event';
import { multitaskOf } from '@agentmesh/proto/multitask';
import { LeavePolicy } from '@agentmesh/proto/runs/v1';
import { Multitask } from '@agentmesh/proto/sessions/v1';
import type { RunLimits } from './run-limits.ts';
import { type CompactionRule, compactionRuleOf } from './compaction-rule.ts';
import type { RootKeys } from './root-keys.ts';

/** Settings of the runs of an app, from the file of its root agent. A request may override them. */
export interface AppSettings {
  readonly multitask: Multitask;
  readonly onLeave: LeavePolicy;
  /** Limits of each run. */
  readonly limits?: Partial<RunLimits>;
  /** Seconds for which a run waits for an answer; 0: for ever. Absent: the setting of the server. */
  readonly answerTimeoutSeconds?: number | undefined;
  /** The response to each call of a run that has waited so long. Absent: the setting of the server. */
  readonly defaultAnswer?: JsonObject | undefined;
  /** Days for which runs and events are kept, or for ever; absent: the file does not say it. */
  readonly retention?: number | 'forever' | undefined;
  /** Whether the account is asked by mail when a run waits. */
  readonly asksByMail?: boolean | undefined;
  /** Whether another executor goes on with a run when its own has died. */
  readonly isResumable: boolean;
  /** Absent: its sessions are not summarized. */
  readonly compaction?: CompactionRule | undefined;
}

const policies = { continue: LeavePolicy.CONTINUE, cancel: LeavePolicy.CANCEL } as const;

/** The usual way: runs wait for each other, and go on when their clients leave. */
export const usualSettings: AppSettings = {
  multitask: Multitask.ENQUEUE,
  onLeave: LeavePolicy.CONTINUE,
  isResumable: true,
};

/** The settings of the root agent's file. */
export function appSettingsOf(keys: RootKeys): AppSettings {
  const { multitask, on_disconnect: onDisconnect, run_limits: limits, resumable = true } = keys;
  return {
    answerTimeoutSeconds: keys.answer_timeout_seconds,
    defaultAnswer: keys.default_answer as JsonObject | undefined,
    asksByMail: keys.answer_mail,
    multitask: multitaskOf(multitask) || usualSettings.multitask,
    onLeave: onDisconnect === undefined ? usualSettings.onLeave : policies[onDisconnect],
    ...(limits && { limits: limitsOf(limits) }),
    retention: keys.retention,
    isResumable: resumable,
    compaction: compactionRuleOf(keys.events_compaction_config),
  };
}

function limitsOf(limits: NonNullable<RootKeys['run_limits']>): Partial<RunLimits> {
  const { seconds, model_calls: modelCalls, tool_calls: toolCalls, tokens, cost } = limits;
  const given = Object.entries({ seconds, modelCalls, toolCalls, tokens, cost }).filter(
    ([, most]) => most !== undefined,
  );
  return Object.fromEntries(given);
}
