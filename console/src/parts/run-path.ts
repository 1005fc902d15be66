import type { Run, SessionName } from '@agentmesh/client';
import { screen } from '../shell/router.ts';

/** Names of a run. Its id is unique in its session only. */
type RunName = Pick<Run, 'appName' | 'userId' | 'sessionId' | 'invocationId'>;

/** Path of the screen of a run, which also tells it from runs of other sessions that have its id. */
export function runPath({ appName, userId, sessionId, invocationId }: RunName): string {
  return screen`/runs/${appName}/${userId}/${sessionId}/${invocationId}`;
}

export function sessionOf({ appName: app, userId: user, sessionId: session }: Run): SessionName {
  return { app, user, session };
}
