import { Type, type Static } from 'typebox';
import { Content } from '../edge/records/content.ts';
import { UserPath } from '../edge/records/path.ts';
import { freeForm, storedId, strict } from '../edge/records/keywords.ts';

export const UpdateMemoryRequest = Type.Object(
  { sessionId: storedId() },
  { title: 'UpdateMemoryRequest', examples: [{ sessionId: 's1' }] },
);
export type UpdateMemoryRequest = Static<typeof UpdateMemoryRequest>;

/** A remembered event and its origin. */
const Memory = Type.Object(
  {
    id: Type.String(),
    content: Content,
    author: Type.String(),
    timestamp: Type.Optional(Type.String({ format: 'date-time' })),
    customMetadata: freeForm(),
    sessionId: Type.String(),
    eventId: Type.String(),
    invocationId: Type.String(),
  },
  { title: 'Memory' },
);

export const MemoryList = Type.Object({ memories: Type.Array(Memory) }, { title: 'MemoryList' });

/** Never empty, so that a forgotten value does not delete the memories of all sessions. */
const namedSession = (description: string) => storedId({ minLength: 1, description });

export const MemoryQuery = Type.Object(
  {
    query: Type.Optional(Type.String({ description: 'Searches, best first; without it memories are listed.' })),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, description: 'How many at most: 10 of a search, 100 of a list.' }),
    ),
    sessionId: Type.Optional(namedSession('Lists those of one session.')),
    cursor: Type.Optional(
      Type.String({ maxLength: 2000, description: '`X-Next-Cursor` of the page of the list before.' }),
    ),
  },
  { title: 'MemoryQuery' },
);
export type MemoryQuery = Static<typeof MemoryQuery>;

/** Strict, so that a name with a mistake does not delete the memories of all sessions. */
export const MemorySession = Type.Object(
  { sessionId: Type.Optional(namedSession('Deletes those of one session; without it all.')) },
  strict,
);

export const MemoryPath = Type.Object({
  ...UserPath.properties,
  memory_id: Type.String({ description: '`id` of the memory, as the search answers it.', examples: ['a-memory'] }),
});

export const MemoriesDeleted = Type.Object({ deleted: Type.Integer() }, { title: 'MemoriesDeleted' });
