import type { RoomLists } from './rooms.ts';

/** Services whose rooms still import each other. A service leaves this list when its lists stand below. */
export const pending: readonly string[] = [
  'services/auth/src',
  'services/keys/src',
  'services/memory/src',
  'services/runs/src',
  'services/sessions/src',
  'services/webhooks/src',
];

/** Each folder that has folders, with its rooms in one order: see RoomLists. `gateway/README.md` has the list of the edge too. */
export const roomLists: RoomLists = {
  'gateway/src/edge':
    'validation pace errors json origins authentication records paging streams idempotency throttle arrivals openapi http bodies',
  lib: 'heap heap-testing prices wait telemetry rpc pg bus jobs service idempotency outbound usage',
  'lib/bus': 'current-trace.ts seal.ts driver bus.ts consume names topic.ts create-bus.ts nats postgres testing',
  'lib/idempotency':
    'kept-keys.ts keyed-headers.ts sealed-answer.ts keyed-request.ts once-at-commit.ts once.ts index.ts testing',
  'lib/outbound': 'names',
  'lib/pg':
    'database-error.ts row-types.ts statement-batch.ts until.ts database.ts connection group-commit.ts embedded locks migrations roles testing',
  'lib/rpc': 'mesh.ts call identity local wire exchange server client create-mesh.ts index.ts testing',
  'lib/service': 'service.ts testing',
  'gateway/src/edge/authentication':
    'account-changes.ts directory.ts identity.ts unauthorized.ts access-token.ts standings.ts personal-tokens.ts bearer.ts tickets',
  'services/artifacts/src':
    'config.ts errors.ts artifact-key.ts artifact-uri.ts keyed-versions.ts part.ts save-key.ts blobs context.ts check-room.ts store remove-garbage.ts erase-artifacts.ts upload.ts version-record.ts consumers jobs rpc',
  'services/transcription/src': 'config.ts errors.ts audio upstream context.ts rpc',
};
