import {
  type CreateSessionRequest,
  type GetSessionRequest,
  InMemorySessionService,
  type Session,
} from '@google/adk/core';
import { type ModelCaller, noteRun } from '../../../models/use/model-caller.ts';

/** ADK's session service of an attempt. The sessions that tools make in it, e.g. those of an AgentTool, belong to the run like its own. */
export function createRunSessions(session: Session, run: ModelCaller): InMemorySessionService {
  noteRun(session, run);
  return new RunSessions(run);
}

class RunSessions extends InMemorySessionService {
  readonly #run: ModelCaller;

  constructor(run: ModelCaller) {
    super();
    this.#run = run;
  }

  override async createSession(request: CreateSessionRequest): Promise<Session> {
    const session = await super.createSession(request);
    noteRun(session, this.#run);
    return session;
  }

  override async getSession(request: GetSessionRequest): Promise<Session | undefined> {
    const session = await super.getSession(request);
    if (session !== undefined) noteRun(session, this.#run);
    return session;
  }
}
