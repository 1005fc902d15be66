import type { Event, Run } from '@agentmesh/client';
import { mesh } from '../../data/client.ts';
import { invalidate } from '../../data/query.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { copyText } from '../../kit/copy.tsx';
import { say } from '../../kit/toasts.tsx';
import { runPath } from '../../parts/run-path.ts';
import { go, href, screen } from '../../shell/router.ts';
import { t } from '../../texts.ts';

interface RunActionsProps {
  readonly run: Run;
  readonly events: readonly Event[];
}

export function RunActions({ run, events }: RunActionsProps) {
  const { invocationId, appName: app, userId: user, sessionId: session, status } = run;
  const isOpen = status === 'queued' || status === 'running' || status === 'waiting';
  const message = events.find(({ author, content }) => author === 'user' && content)?.content ?? undefined;
  const cancel = async (): Promise<void> => {
    await mesh.runs.cancel(run);
    await invalidate('run:', 'runs');
    say(t.run.cancelled);
  };
  const again = async (): Promise<void> => {
    const started = await mesh.runs.start({ app, user, session, message });
    go(runPath(started));
  };
  const fork = async (): Promise<void> => {
    const { id } = await mesh.sessions.fork({ app, user, session }, { invocationId });
    go(screen`/chat/${app}/${id}` + (user === 'user' ? '' : `?user=${encodeURIComponent(user)}`));
  };
  const share = async (): Promise<void> => {
    await copyText(location.href);
    say(t.run.copiedLink);
  };
  return (
    <>
      <LinkButton
        icon="chat"
        href={href`/chat/${app}/${session}` + (user === 'user' ? '' : `?user=${encodeURIComponent(user)}`)}
      >
        {t.run.openChat}
      </LinkButton>
      {isOpen && (
        <Button kind="danger" icon="stop" onPress={cancel}>
          {t.actions.stop}
        </Button>
      )}
      {!isOpen && message && (
        <Button icon="retry" onPress={again}>
          {t.run.again}
        </Button>
      )}
      <Button icon="fork" label={t.run.fork} onPress={fork} />
      <Button icon="copy" label={t.run.link} onPress={share} />
    </>
  );
}
