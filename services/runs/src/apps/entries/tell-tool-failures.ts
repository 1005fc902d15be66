import type { Logger } from '@agentmesh/lib/telemetry';
import { tellRun } from '../../tell-run.ts';
import type { ToolHooks } from './guard-tool.ts';

/** Hooks that log what tools of agents in this process throw, with the place in their code and the run. */
export function tellToolFailures(log: Logger): ToolHooks {
  return {
    onFailure: (tool, { invocationContext: { invocationId, session } }, error) => {
      const { name: type, message, stack } = error instanceof Error ? error : new Error(String(error));
      const facts = { app: session.appName, tool, invocationId, sessionId: session.id };
      // The stack is that of this program.
      const text = `The tool ${tool} has failed: ${type}: ${message}`;
      tellRun({ level: 'error', message: text, attributes: { tool } });
      log.warn({ ...facts, err: { type, message, stack } }, 'a tool has failed');
    },
  };
}
