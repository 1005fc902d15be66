import type { Host } from '@agentmesh/lib/service';
import { AccountDeletedSchema, AuthService } from '@agentmesh/proto/auth/v1';
import { AgentChangedSchema } from '@agentmesh/proto/runs/v1/agents';
import { RunProgressedSchema, RunsWatchedSchema } from '@agentmesh/proto/runs/v1/live';
import { NoticeAddedSchema } from '@agentmesh/proto/runs/v1/notices';
import { RunCancelRequestedSchema, RunEndedSchema, TurnGrantedSchema } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { onAccountDeleted } from './on-account-deleted.ts';
import { onAccountGone } from './on-account-gone.ts';
import { onAgentChanged } from './on-agent-changed.ts';
import { onRunCancelRequested } from './on-run-cancel-requested.ts';
import { onNoticeAdded } from './on-notice-added.ts';
import { onRunEnded } from './on-run-ended.ts';
import { onRunProgressed } from './on-run-progressed.ts';
import { onRunsWatched } from './on-runs-watched.ts';
import { onTurnGranted } from './on-turn-granted.ts';

/** Subscribes to what happens elsewhere. */
export async function follow(
  { bus, mesh, resources }: Pick<Host, 'bus' | 'mesh' | 'resources'>,
  context: Context,
): Promise<void> {
  const auth = mesh.client(AuthService);
  resources.defer(await bus.subscribe(TurnGrantedSchema, onTurnGranted(context)));
  resources.defer(await bus.subscribe(RunCancelRequestedSchema, onRunCancelRequested(context)));
  resources.defer(await bus.subscribe(RunEndedSchema, onRunEnded(context)));
  resources.defer(await bus.subscribe(RunsWatchedSchema, onRunsWatched(context)));
  resources.defer(await bus.subscribe(RunProgressedSchema, onRunProgressed(context)));
  resources.defer(await bus.subscribe(NoticeAddedSchema, onNoticeAdded(context)));
  resources.defer(await bus.subscribe(AgentChangedSchema, onAgentChanged(context)));
  resources.defer(await bus.subscribe(AccountDeletedSchema, onAccountGone(context)));
  resources.defer(await bus.consume(AccountDeletedSchema, 'runs', onAccountDeleted({ ...context, auth })));
}
