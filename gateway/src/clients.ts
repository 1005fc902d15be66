import type { Mesh } from '@agentmesh/lib/rpc';
import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { KeysService } from '@agentmesh/proto/keys/v1';
import { IntegrationsService } from '@agentmesh/proto/keys/v1/integrations';
import { ModelUseService } from '@agentmesh/proto/keys/v1/model_use';
import { SavedKeysService } from '@agentmesh/proto/keys/v1/saved_keys';
import { MemoryService } from '@agentmesh/proto/memory/v1';
import { RunsService } from '@agentmesh/proto/runs/v1';
import { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import { NoticesService } from '@agentmesh/proto/runs/v1/notices';
import { SessionsService } from '@agentmesh/proto/sessions/v1';
import { TranscriptionService } from '@agentmesh/proto/transcription/v1';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import { NotificationsService } from '@agentmesh/proto/webhooks/v1/notifications';
import { RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import { SubscriptionsService } from '@agentmesh/proto/webhooks/v1/subscriptions';

/** Clients of the services that routes call. */
export type Clients = ReturnType<typeof createClients>;

export function createClients(mesh: Mesh) {
  return {
    auth: mesh.client(AuthService),
    sessions: mesh.client(SessionsService),
    runs: mesh.client(RunsService),
    agents: mesh.client(AgentsService),
    notices: mesh.client(NoticesService),
    memory: mesh.client(MemoryService),
    artifacts: mesh.client(ArtifactsService),
    transcription: mesh.client(TranscriptionService),
    keys: mesh.client(KeysService),
    integrations: mesh.client(IntegrationsService),
    modelUse: mesh.client(ModelUseService),
    savedKeys: mesh.client(SavedKeysService),
    subscriptions: mesh.client(SubscriptionsService),
    notifications: mesh.client(NotificationsService),
    runWebhooks: mesh.client(RunWebhooksService),
    schedules: mesh.client(SchedulesService),
    webhookLogs: mesh.client(LogsService),
  };
}
