import { Dialog } from '../kit/dialog.tsx';
import { t } from '../texts.ts';
import { findKey } from './keys.ts';
import { isShowingKeys } from './open.ts';

export function Shortcuts() {
  if (!isShowingKeys.value) return null;
  return (
    <Dialog title={t.shortcuts.title} onClose={() => (isShowingKeys.value = false)}>
      <dl class="shortcuts">
        {[[findKey, t.palette.title], ...t.shortcuts.rows].map(([keys = '', text]) => (
          <div key={keys} class="row">
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd class="grow">{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
