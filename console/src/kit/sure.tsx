import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { t } from '../texts.ts';

interface Asked {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly act: () => Promise<void>;
}

type Ask = (title: string, text: string, action: string, act: () => Promise<void>) => void;

/** A question before something that cannot be undone: the dialog to draw, and the function that opens it. */
export function useSure(): readonly [ComponentChildren, Ask] {
  const asked = useSignal<Asked | undefined>(undefined);
  const close = (): void => {
    asked.value = undefined;
  };
  const { title, text, action, act } = asked.value ?? {};
  const dialog = title !== undefined && (
    <Dialog title={title} onClose={close}>
      <p class="muted">{text}</p>
      <div class="form">
        <div class="actions">
          <Button onPress={close}>{t.actions.cancel}</Button>
          <Button
            kind="danger"
            onPress={async () => {
              await act?.();
              close();
            }}
          >
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
  return [
    dialog,
    (...[newTitle, newText, newAction, newAct]) => {
      asked.value = { title: newTitle, text: newText, action: newAction, act: newAct };
    },
  ];
}
