import { type DescMessage, hasOption } from '@bufbuild/protobuf';
import { file_agentmesh_auth_v1_auth as auth } from './gen/agentmesh/auth/v1/auth_pb.js';
import { file_agentmesh_keys_v1_integrations as integrations } from './gen/agentmesh/keys/v1/integrations_pb.js';
import { readers } from './gen/agentmesh/mesh/v1/access_pb.js';
import { file_agentmesh_runs_v1_agents as agents } from './gen/agentmesh/runs/v1/agents_pb.js';
import { file_agentmesh_runs_v1_live as live } from './gen/agentmesh/runs/v1/live_pb.js';
import { file_agentmesh_runs_v1_notices as notices } from './gen/agentmesh/runs/v1/notices_pb.js';
import { file_agentmesh_runs_v1_runs as runs } from './gen/agentmesh/runs/v1/runs_pb.js';
import { file_agentmesh_sessions_v1_sessions as sessions } from './gen/agentmesh/sessions/v1/sessions_pb.js';

/** Every topic of the bus: the messages that declare their readers. */
export const topics: readonly DescMessage[] = [auth, integrations, agents, live, notices, runs, sessions]
  .flatMap(({ messages }) => messages)
  .filter((message) => hasOption(message, readers));
