import { writeFile } from 'node:fs/promises';
import type { Agent, AgentMesh } from '@agentmesh/client';
import type { Command } from 'commander';
import { sessionOf } from '../setup/session.ts';
import { exitCode } from '../terminal/exit-code.ts';
import { readNamed, writeNamed } from '../terminal/named-file.ts';
import { wholeNumber } from '../terminal/values.ts';
import { differences } from './differences.ts';
import { tellFileMistakes } from './file-mistakes.ts';

/** `agentmesh agents`: from records to files and back. */
export function addAgents(program: Command): void {
  const agents = program.command('agents').description('agents of the account, as records and as YAML files');
  agents
    .command('list')
    .description('list the agents')
    .action(async (_: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      output.rows(await mesh.agents.list().all(), [
        'agent_id',
        'agent_name',
        'agent_type',
        'agent_model',
        'agent_description',
      ]);
    });
  agents
    .command('get')
    .description('print an agent as YAML, or write it to a file')
    .argument('<agent>', 'id or name')
    .option('--output <file>')
    .action(async (name: string, { output: file }: { output?: string }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const { agent_id: id } = await findAgent(mesh, name);
      if (output.isJson) return output.record(await mesh.agents.get(id));
      const yaml = await mesh.agents.yaml(id);
      if (file === undefined) output.write(yaml);
      else await writeNamed(file, () => writeFile(file, yaml));
    });
  agents
    .command('delete')
    .description('delete an agent and its versions')
    .argument('<agent>', 'id or name')
    .action(async (name: string, _: object, command: Command) => {
      const { mesh } = sessionOf(command);
      await mesh.agents.delete((await findAgent(mesh, name)).agent_id);
    });
  addDiff(agents);
  addPush(agents);
  addRestore(agents);
}

function addDiff(agents: Command): void {
  agents
    .command('diff')
    .description('compare an agent with a file; exit code 1 when they differ')
    .argument('<agent>', 'id or name')
    .argument('<file>')
    .action(async (name: string, file: string, _: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const yaml = readNamed(file).toString();
      const { agent_id: id } = await findAgent(mesh, name);
      const lines = differences(await mesh.agents.yaml(id), yaml);
      for (const line of lines) output.line(line);
      if (lines.length > 0) process.exitCode = exitCode.failed;
    });
}

function addPush(agents: Command): void {
  agents
    .command('push')
    .description('make an agent of a YAML file, or a new version of the agent that has its name')
    .argument('<file>')
    .option('--agent <agent>', 'id or name of the agent to change')
    .action(async (file: string, { agent }: { agent?: string }, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const yaml = readNamed(file).toString();
      const name = agent ?? /^name:\s*["']?([^"'\n#]+?)["']?\s*(?:#.*)?$/m.exec(yaml)?.[1];
      const found = name === undefined ? undefined : await searchAgent(mesh, name);
      if (found === undefined && agent !== undefined) throw missing(agent);
      const sent =
        found === undefined ? mesh.agents.createFromYaml(yaml) : mesh.agents.replaceWithYaml(found.agent_id, yaml);
      const pushed = await sent.catch((error: unknown) => {
        throw tellFileMistakes(error, file, output);
      });
      if (output.isJson) output.record(pushed);
      else output.line(`${found === undefined ? 'made' : 'changed'} ${pushed.agent_name} (${String(pushed.agent_id)})`);
    });
}

function addRestore(agents: Command): void {
  agents
    .command('versions')
    .description('list the versions of an agent')
    .argument('<agent>', 'id or name')
    .action(async (name: string, _: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const { agent_id: id } = await findAgent(mesh, name);
      output.rows(await mesh.agents.versions(id), ['version', 'created_at']);
    });
  agents
    .command('restore')
    .description('make an earlier version the newest one')
    .argument('<agent>', 'id or name')
    .argument('<version>', 'its number', wholeNumber(1, 'Type: agentmesh agents versions <agent>'))
    .action(async (name: string, version: number, _: object, command: Command) => {
      const { mesh, output } = sessionOf(command);
      const { agent_id: id } = await findAgent(mesh, name);
      output.record(await mesh.agents.restore(id, version));
    });
}

async function findAgent(mesh: AgentMesh, name: string): Promise<Agent> {
  const agent = await searchAgent(mesh, name);
  if (agent === undefined) throw missing(name);
  return agent;
}

/** The agent with this id (`12` or `agent12`), else with this name. */
async function searchAgent(mesh: AgentMesh, name: string): Promise<Agent | undefined> {
  const all = await mesh.agents.list().all();
  const id = /^(?:agent)?(\d+)$/.exec(name)?.[1];
  return all.find((it) => String(it.agent_id) === id) ?? all.find((it) => it.agent_name === name);
}

function missing(name: string): Error {
  return new Error(`There is no agent ${name}. Type: agentmesh agents list`);
}
