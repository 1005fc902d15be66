import { multitaskNames } from '@agentmesh/proto/multitask';
import Type, { type Static } from 'typebox';
import { CompactionKeys } from './compaction-keys.ts';

const Limit = Type.Optional(Type.Integer({ minimum: 1 }));
/** US dollars. The most is more than any run costs. */
const Amount = Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }));

/** Keys of an agent's file that are about the runs of its app. They have an effect in the file of the root agent only. */
export const rootKeys = {
  multitask: Type.Optional(Type.Enum(multitaskNames)),
  /** The lower one of each limit and the setting counts. */
  run_limits: Type.Optional(
    Type.Object(
      { seconds: Limit, model_calls: Limit, tool_calls: Limit, tokens: Limit, cost: Amount },
      { additionalProperties: false },
    ),
  ),
  resumable: Type.Optional(Type.Boolean()),
  on_disconnect: Type.Optional(Type.Enum(['continue', 'cancel'])),
  /** Seconds for which a run waits for an answer; 0: for ever. */
  answer_timeout_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000 })),
  /** The response to each call of a run that has waited so long. */
  default_answer: Type.Optional(Type.Object({})),
  /** Days for which runs and events of the app are kept. */
  retention: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 36_500 }), Type.Literal('forever')], {
      description: 'a whole number of days from 1 to 36500, or forever',
    }),
  ),
  /** The account is asked by mail when a run waits. */
  answer_mail: Type.Optional(Type.Boolean()),
  events_compaction_config: Type.Optional(CompactionKeys),
};

const RootKeys = Type.Object(rootKeys);
export type RootKeys = Static<typeof RootKeys>;
