import type { Caller } from '../../caller.ts';

/** Fields of an agent that needs no network. */
export const fields = {
  agent_name: 'poet',
  agent_model: 'echo/echo',
  agent_description: 'Writes verse.',
  agent_instruction: 'Answer in verse.',
  agent_type: 'llm',
};

export interface Issue {
  readonly loc: (string | number)[];
  readonly msg: string;
}

export interface Refusal {
  readonly detail: string | Issue[];
  readonly code?: string;
}

export interface Agent extends Record<string, unknown> {
  readonly agent_id: number;
  readonly version: number;
}

/** Creates an agent and returns its number. */
export async function makeAgent(caller: Caller, over: object = {}): Promise<number> {
  const answer = await caller.request<{ agent_id: string }>('POST', '/api/agents', { ...fields, ...over });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return Number(answer.body.agent_id.slice('agent'.length));
}
