/** An agent of an app, as RunsService.GetAppGraph describes it. */
interface AgentNode {
  readonly name: string;
  readonly type: string;
  readonly description?: string;
  readonly sub_agents?: readonly AgentNode[];
}

export interface AppGraph {
  readonly root_agent: AgentNode;
}

const modes = ['text/plain', 'application/json'];

/** The card of an app in the form of version 1.0 of the protocol. `url` is the address that the card's agent is called at. */
export function agentCard({ root_agent: root }: AppGraph, url: string) {
  return {
    ...common(root),
    supportedInterfaces: interfacesAt(url),
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  };
}

/** The same in the form of version 0.3, with the interfaces of 1.0 for clients that know both. */
export function legacyAgentCard({ root_agent: root }: AppGraph, url: string) {
  return {
    ...common(root),
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    supportedInterfaces: interfacesAt(url),
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    security: [{ bearer: [] }],
  };
}

function common(root: AgentNode) {
  return {
    name: root.name,
    description: root.description ?? '',
    version: '1.0.0',
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: skillsOf(root),
  };
}

function interfacesAt(url: string) {
  return ['1.0', '0.3'].map((protocolVersion) => ({ url, protocolBinding: 'JSONRPC', protocolVersion }));
}

/** Each agent of the app is a skill. */
function skillsOf({ name, type, description = `The agent ${name}.`, sub_agents = [] }: AgentNode): object[] {
  return [{ id: name, name, description, tags: [type] }, ...sub_agents.flatMap(skillsOf)];
}
