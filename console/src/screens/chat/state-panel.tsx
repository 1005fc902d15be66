import type { SessionName } from '@agentmesh/client';
import { loadSessionRecord, sessionKey } from '../../data/session-record.ts';
import { useQuery } from '../../data/query.ts';
import { Json } from '../../kit/json.tsx';
import { When } from '../../kit/states.tsx';
import { t } from '../../texts.ts';

export function StatePanel({ place }: { readonly place: SessionName }) {
  const known = useQuery(sessionKey(place), () => loadSessionRecord(place));
  return (
    <aside class="chat-state stack" aria-label={t.chat.state}>
      <div class="row">
        <h2 class="grow">{t.chat.state}</h2>
      </div>
      <When known={known}>
        {({ state = {} }) =>
          Object.keys(state).length === 0 ? <p class="muted">{t.chat.noState}</p> : <Json value={state} />
        }
      </When>
    </aside>
  );
}
