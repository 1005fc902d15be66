import type { RoomLists } from './rooms.ts';

/** Each folder that has folders, with its rooms in one order: see RoomLists. `gateway/README.md` has the list of the edge too. */
export const roomLists: RoomLists = {
  'gateway/src/edge':
    'validation most-entries.ts pace.ts errors json origins authentication records paging streams idempotency throttle arrivals openapi http bodies',
  lib: 'heap heap-testing prices wait spans telemetry certificates rpc pg bus jobs service signing idempotency outbound usage',
  'lib/bus': 'current-trace.ts seal.ts driver names bus.ts consume topic.ts create-bus.ts nats postgres testing',
  'lib/idempotency':
    'kept-keys.ts keyed-headers.ts sealed-answer.ts keyed-request.ts once-at-commit.ts once.ts uuid-of.ts index.ts testing',
  'lib/outbound': 'names answers fetch-forms',
  'lib/pg': 'connection sending database.ts embedded locks migrations roles testing',
  'lib/pg/testing': 'servers',
  'lib/rpc':
    'mesh.ts call messages identity consumers local wire exchange server client create-mesh.ts index.ts testing',
  'lib/service':
    'backlog settings service.ts consumers start-job.ts listen-on.ts unusable-server.ts open-embedded.ts open-service-database.ts mesh-identities.ts start-process.ts lost-rights.ts service-logins.ts migrate.ts testing',
  'gateway/src/edge/authentication':
    'account-changes.ts directory.ts identity.ts unauthorized.ts access-token.ts standings.ts personal-tokens.ts bearer.ts browser',
  'services/artifacts/src':
    'config.ts errors.ts artifact-key.ts artifact-uri.ts keyed-versions.ts part.ts save-key.ts blobs context.ts check-room.ts store remove-garbage.ts erase-artifacts.ts upload.ts version-record.ts consumers jobs rpc',
  'services/transcription/src': 'config.ts errors.ts audio upstream context.ts rpc',
  'services/runs/src':
    'closest-name.ts end-group.ts errors.ts hash-of-names.ts outlast-outage.ts tell-run.ts models store apps execution config.ts context.ts consumers jobs rpc',
  'services/runs/src/apps': 'definition tools mcp a2a entries files turns building agents code registry',
  'services/runs/src/apps/agents':
    'agent-id.ts agent-fault.ts mcp-servers.ts agent-fields.ts model-settings.ts to-definition.ts checks agent-name.ts read-fields.ts yaml',
  'services/runs/src/apps/building': 'agents',
  'services/runs/src/apps/code': 'protocol.ts worker host',
  'services/runs/src/apps/code/host': 'code-settings.ts spawning',
  'services/runs/src/apps/code/worker': 'channel.ts current-run.ts texts-of-error.ts elsewhere host-llm.ts loading',
  'services/runs/src/apps/definition': 'to-snake-case.ts mistake.ts parse-yaml.ts tool-resolver.ts settings',
  'services/runs/src/apps/mcp': 'connection',
  'services/runs/src/apps/turns': 'events history agent-for-turn.ts takeover',
  'services/runs/src/execution':
    'abort-later.ts strays.ts viewer.ts admission check-message.ts compaction limits live recording attempt running.ts release-leases.ts take-up.ts accept-run.ts answers notices watching tracing',
  'services/runs/src/models':
    'call-end.ts live-unsupported.ts model-call-error.ts model-failure.ts pause.ts model-name.ts vendor-model.ts use ai-sdk endpoint.ts vendors echo',
  'services/runs/src/models/ai-sdk': 'ending.ts dialect.ts failure request',
  'services/runs/src/rpc': 'agents notices',
  'services/runs/src/rpc/agents': 'agent-message.ts handlers.ts fields-of.ts find-agent.ts versions yaml',
  'services/webhooks/src':
    'clock.ts due-work.ts fair-turns.ts keep-turns.ts config.ts errors.ts provider.ts retry-after.ts store mail schedules deliveries jobs consumers rpc',
  'services/webhooks/src/mail':
    'text safety template read-mailbox-task.ts provider google microsoft context.ts tell-owner.ts watches subscriptions attachments processing',
  'services/webhooks/src/mail/processing': 'processor.ts preparation',
  'services/webhooks/src/rpc': 'logs notifications subscriptions schedules run-webhooks',
  'services/webhooks/src/store': 'mailboxes.ts log-lists.ts look-rows.ts watches',
  'services/memory/src':
    'embeddings text errors.ts memory-key.ts place-set.ts store ingest search context.ts erase-memories.ts consumers jobs wire-entry.ts rpc',
  'services/keys/src':
    'config.ts errors.ts google reply.ts agent-identity caller-rights.ts encryption store integrations saved-keys signing-vault.ts header-vault.ts context.ts consumers jobs model-use rpc',
  'services/keys/src/integrations': 'errors.ts providers',
  'services/keys/src/rpc': 'agent-identity model-use saved-keys signing tool-keys integrations',
  'services/auth/src':
    'errors.ts email-address.ts storable-text.ts passwords smtp-url.ts config.ts store tokens mail sign-ins context.ts accounts answer-links erasure jobs rpc',
  'services/auth/src/rpc': 'handlers.ts accounts answer-links erasure mail sign-ins tokens device',
  'services/sessions/src':
    'errors.ts json-bytes.ts page-limit.ts revision.ts session-key.ts account-usage.ts state-delta.ts view store outage-watch.ts known-executors.ts context.ts count-at-commit.ts events history until-current.ts turns consumers retention takeover jobs rpc',
  'services/sessions/src/rpc': 'handlers.ts counted-once.ts history retention operators runs',
  'services/sessions/src/rpc/runs': 'beginning',
  'services/sessions/src/store':
    'created-at.ts key-condition.ts events sizes.ts tell-run-ended.ts credential-requests.ts state.ts write.ts histories.ts runs.ts replicas ledger retention turns',
};
