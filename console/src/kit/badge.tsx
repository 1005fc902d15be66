import type { ComponentChildren } from 'preact';
import type { RunStatus } from '@agentmesh/client';
import { t } from '../texts.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | undefined;

export function Badge({
  tone,
  isLive,
  children,
}: {
  readonly tone: Tone;
  readonly isLive?: boolean;
  readonly children: ComponentChildren;
}) {
  return <span class={['badge', tone, isLive === true && 'live'].filter(Boolean).join(' ')}>{children}</span>;
}

const tones: Readonly<Record<RunStatus, Tone>> = {
  queued: undefined,
  running: 'busy',
  waiting: 'warn',
  completed: 'good',
  failed: 'bad',
  cancelled: undefined,
  interrupted: undefined,
};

export function RunBadge({ status }: { readonly status: RunStatus }) {
  return (
    <Badge tone={tones[status]} isLive={status === 'running'}>
      {t.runStatus[status]}
    </Badge>
  );
}
