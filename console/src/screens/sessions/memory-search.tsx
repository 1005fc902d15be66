import type { SessionPlace } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate, useQuery } from '../../data/query.ts';
import { Empty, When } from '../../kit/states.tsx';
import { t } from '../../texts.ts';

interface MemorySearchProps {
  readonly place: SessionPlace;
  readonly words: string;
}

/** Entries of memory with these words, the best first. */
export function MemorySearch({ place, words }: MemorySearchProps) {
  const key = `memory?${place.app}&${place.user}&${words}`;
  const known = useQuery(key, () => mesh.memory.search(place, words, { limit: 30 }));
  return (
    <When known={known} retry={() => invalidate(key)}>
      {(entries) =>
        entries.length === 0 ? (
          <Empty icon="search" title={t.sessions.noMemory} text={t.sessions.noMemoryText} />
        ) : (
          <ul class="card lines">
            {entries.map(({ author, content, timestamp }, index) => (
              <li key={index}>
                <p>{(content.parts ?? []).map(({ text }) => text ?? '').join(' ')}</p>
                <p class="small muted">
                  {author} {timestamp}
                </p>
              </li>
            ))}
          </ul>
        )
      }
    </When>
  );
}
