import { Type, type Static } from 'typebox';

const time = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const ErasedPart = Type.Object(
  {
    service: Type.String(),
    erased_at: time('When it had erased everything; null: not yet.'),
    counts: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: true }),
  },
  { title: 'ErasedPart' },
);

export const Erasure = Type.Object(
  {
    status: Type.Union([Type.Literal('pending'), Type.Literal('complete')], {
      description: '`complete`: every service has erased what it had.',
    }),
    final: Type.Boolean({
      description: 'They were asked again for so long that nothing from before the deletion can still arrive.',
    }),
    requested_at: Type.String(),
    completed_at: time('Null while it is pending.'),
    services: Type.Array(ErasedPart),
  },
  { title: 'Erasure', description: 'The receipt of a deletion. It says how much was erased, and nothing of what.' },
);
export type Erasure = Static<typeof Erasure>;

export const ErasurePath = Type.Object({ id: Type.String({ description: 'As `Location` of the deletion names it.' }) });
