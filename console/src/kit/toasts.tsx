import { AgentMeshError } from '@agentmesh/client';
import { signal } from '@preact/signals';
import { t } from '../texts.ts';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
  readonly requestId: string | undefined;
}

const toasts = signal<readonly Toast[]>([]);
const shownMs = { good: 4_000, bad: 12_000 };
let last = 0;

export function say(text: string): void {
  add({ text, tone: 'good', requestId: undefined });
}

export function sayError(error: unknown): void {
  add({ text: textOfError(error), tone: 'bad', requestId: requestIdOf(error) });
}

export function textOfError(error: unknown): string {
  if (error instanceof AgentMeshError && error.status === 0) return t.states.offlineText;
  return error instanceof Error ? error.message : String(error);
}

export function requestIdOf(error: unknown): string | undefined {
  return error instanceof AgentMeshError ? error.requestId : undefined;
}

function add(toast: Omit<Toast, 'id'>): void {
  last += 1;
  const id = last;
  toasts.value = [...toasts.value.slice(-3), { ...toast, id }];
  setTimeout(() => remove(id), shownMs[toast.tone]);
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, text, tone, requestId }) => (
        <div key={id} class={`toast ${tone}`}>
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
