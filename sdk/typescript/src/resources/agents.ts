import type { Agent, Answer, Body } from '../records.ts';
import { type List, listOf, type ListOptions } from '../streams/list.ts';
import { type CallOptions, route } from '../transport/call.ts';
import type { Transport } from '../transport/transport.ts';

export interface ChangeOptions extends CallOptions {
  /** Entity tag: the change is refused with a ChangedError when the agent is no more as it was then. */
  readonly ifMatch?: string | undefined;
}

const yaml = { 'content-type': 'application/yaml' };

/** Agents that the account makes, each an app with the agent's id as its name. */
export class Agents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Agents of the account, page by page. */
  list({ signal, ...query }: ListOptions = {}): List<Agent> {
    return listOf(this.#transport, { path: '/api/agents', query: { limit: 100, ...query }, signal });
  }

  /** One agent. */
  async get(id: string | number, options?: CallOptions): Promise<Agent> {
    return this.#transport.json({ path: route`/api/agents/${id}`, ...options });
  }

  /** Makes an agent. */
  create(body: Body<'createAgent'>, options?: CallOptions): Promise<Answer<'createAgent'>> {
    return this.#transport.json({ method: 'POST', path: '/api/agents', body, ...options });
  }

  /** Replaces the agent's record. */
  async update(
    id: string | number,
    body: Body<'updateAgent'>,
    { ifMatch, ...options }: ChangeOptions = {},
  ): Promise<Agent> {
    const headers = { 'if-match': ifMatch };
    return this.#transport.json({ method: 'PUT', path: route`/api/agents/${id}`, body, headers, ...options });
  }

  /** Deletes an agent and its versions. */
  async delete(id: string | number, { ifMatch, ...options }: ChangeOptions = {}): Promise<void> {
    const headers = { 'if-match': ifMatch };
    await this.#transport.json({ method: 'DELETE', path: route`/api/agents/${id}`, headers, ...options });
  }

  /** All versions of an agent, with their records. */
  async versions(id: string | number, options?: CallOptions): Promise<Answer<'listAgentVersions'>> {
    return this.#transport.json({ path: route`/api/agents/${id}/versions`, ...options });
  }

  /** Makes the record of an earlier version the newest one. */
  async restore(id: string | number, version: number, { ifMatch, ...options }: ChangeOptions = {}): Promise<Agent> {
    const path = route`/api/agents/${id}/versions/${version}/restore`;
    return this.#transport.json({ method: 'POST', path, headers: { 'if-match': ifMatch }, ...options });
  }

  /** The agent as YAML, in the form of `root_agent.yaml`. */
  async yaml(id: string | number, { signal }: CallOptions = {}): Promise<string> {
    return this.#transport.send({ path: route`/api/agents/${id}/yaml`, signal }, (response) => response.text());
  }

  /**
   * Makes an agent from YAML.
   *
   * @example
   * ```ts
   * const { agent_id: id } = await mesh.agents.createFromYaml('name: helper\nmodel: echo/default\ninstruction: Help.\n');
   * console.log((await mesh.agents.get(id)).agent_instruction); // Help.
   * ```
   */
  createFromYaml(text: string, options?: CallOptions): Promise<Answer<'importAgent'>> {
    return this.#transport.json({ method: 'POST', path: '/api/agents/yaml', upload: text, headers: yaml, ...options });
  }

  /** Checks YAML as it would be for a new agent, or for the agent `id`. Throws an InvalidRequestError with all faults. */
  async checkYaml(
    text: string,
    { id, signal }: CallOptions & { readonly id?: string | number | undefined } = {},
  ): Promise<void> {
    const call = { method: 'POST', path: '/api/agents/yaml/check', query: { agent_id: id }, headers: yaml } as const;
    await this.#transport.json({ ...call, upload: text, signal });
  }

  /** Replaces the agent with one from YAML. */
  async replaceWithYaml(
    id: string | number,
    text: string,
    { ifMatch, ...options }: ChangeOptions = {},
  ): Promise<Agent> {
    const headers = { ...yaml, 'if-match': ifMatch };
    return this.#transport.json({
      method: 'PUT',
      path: route`/api/agents/${id}/yaml`,
      upload: text,
      headers,
      ...options,
    });
  }

  /** The newest run of the agent that was started with `run`. */
  async status(id: string | number, options?: CallOptions): Promise<Answer<'getAgentStatus'>> {
    return this.#transport.json({ path: route`/api/agents/${id}/status`, ...options });
  }

  /** Models that agents of the account can name. */
  models(options?: CallOptions): Promise<Answer<'listModels'>> {
    return this.#transport.json({ path: '/api/models', ...options });
  }
}
