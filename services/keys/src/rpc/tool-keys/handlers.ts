import type { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC, by its name. */
export type Handlers = ServiceImpl<typeof ToolKeysService>;
