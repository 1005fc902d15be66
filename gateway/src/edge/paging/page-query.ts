import { Type, type Static } from 'typebox';

/** Query of a page. Each of the three fields asks for a page; without them the whole list is answered. */
export const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 500,
        description: 'How many at most; 100 where only a cursor or an order is sent.',
      }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 2000, description: '`X-Next-Cursor` of the page before.' })),
    order: Type.Optional(
      Type.Enum(['asc', 'desc'], { description: 'From the oldest on, or from the newest. A cursor keeps its own.' }),
    ),
  },
  { title: 'Page' },
);
export type PageQuery = Static<typeof PageQuery>;

/** `limit` and `cursor` of a list whose pages have `most` entries at most, and `usual` without a limit. */
export function pageFields(usual: number, most: number) {
  const { cursor } = PageQuery.properties;
  const limit = Type.Integer({ minimum: 1, maximum: most, description: `How many at most; default ${usual}.` });
  return { limit: Type.Optional(limit), cursor };
}

/** Parameter of a former way to page, which goes on until 0.2. */
export const formerUntil02 = { deprecated: true } as const;

/** Headers of an answer that is a page. */
export const pageHeaders = {
  'X-Next-Cursor': { type: 'string', description: 'Where the next page begins; absent on the last.' },
  Link: { type: 'string', description: 'The next page, as `rel="next"`; absent on the last.' },
};
