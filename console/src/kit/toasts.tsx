import { AgentMeshError } from '@agentmesh/client';
import { signal } from '@preact/signals';
import { t } from '../texts.ts';
import { textOfFaults } from './faults.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
  readonly requestId: string | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = { good: 4_000, bad: 12_000 };
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let last = 0;

export function say(text: string): void {
  add({ text, tone: 'good', requestId: undefined });
}

export function sayError(error: unknown): void {
  add({ text: textOfError(error), tone: 'bad', requestId: requestIdOf(error) });
}

export function textOfError(error: unknown): string {
  if (error instanceof AgentMeshError && error.status === 0) return t.states.offlineText;
  if (error instanceof AgentMeshError && error.faults.length > 0) return textOfFaults(error.faults);
  return error instanceof Error ? error.message : String(error);
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof AgentMeshError ? error.requestId : undefined;
}

function add(toast: Omit<Toast, 'id'>): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  removeLater({ ...toast, id });
}

function removeLater({ id, tone }: Pick<Toast, 'id' | 'tone'>): void {
  keep(id);
  timers.set(
    id,
    setTimeout(() => remove(id), shownMs[tone]),
  );
}

/** Keeps a toast as long as somebody points at it or has the focus in it. */
function keep(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

function remove(id: number): void {
  keep(id);
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, requestId }) => (
        <div
          key={id}
          class={`toast ${tone}`}
          onPointerEnter={() => keep(id)}
          onPointerLeave={() => removeLater({ id, tone })}
          onFocusCapture={() => keep(id)}
          onBlurCapture={() => removeLater({ id, tone })}
        >
          <div class="grow">
            {text}
            {requestId && <div class="small muted mono">{requestId}</div>}
          </div>
          <button type="button" class="button quiet icon tiny" aria-label={t.actions.close} onClick={() => remove(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
