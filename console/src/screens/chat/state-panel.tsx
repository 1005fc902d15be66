import type { SessionName } from '@agentmesh/client';
import { loadSessionRecord, sessionKey } from '../../data/session-record.ts';
import { useQuery } from '../../data/query.ts';
import { Button } from '../../kit/button.tsx';
import { Json } from '../../kit/json.tsx';
import { When } from '../../kit/states.tsx';
import { t } from '../../texts.ts';

interface StatePanelProps {
  readonly place: SessionName;
  readonly onClose: () => void;
}

export function StatePanel({ place, onClose }: StatePanelProps) {
  const known = useQuery(sessionKey(place), () => loadSessionRecord(place));
  return (
    <aside class="chat-state stack" aria-label={t.chat.state}>
      <div class="row">
        <h2 class="grow">{t.chat.state}</h2>
        <Button kind="quiet" isTiny icon="close" label={t.actions.close} onPress={onClose} />
      </div>
      <When known={known}>
        {({ state = {} }) =>
          Object.keys(state).length === 0 ? <p class="muted">{t.chat.noState}</p> : <Json value={state} />
        }
      </When>
    </aside>
  );
}
