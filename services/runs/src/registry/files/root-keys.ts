import Type, { type Static } from 'typebox';

/** Keys of an agent's file that are about the runs of its app. They have an effect in the file of the root agent only. */
export const rootKeys = {
  multitask: Type.Optional(Type.Enum(['enqueue', 'reject', 'interrupt'])),
  on_disconnect: Type.Optional(Type.Enum(['continue', 'cancel'])),
};

const RootKeys = Type.Object(rootKeys);
export type RootKeys = Static<typeof RootKeys>;
