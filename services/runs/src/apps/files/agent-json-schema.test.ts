import { readFileSync } from 'node:fs';
import Schema from 'typebox/schema';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { printAgentSchema } from './agent-json-schema.ts';

const schema = JSON.parse(new TextDecoder().decode(printAgentSchema())) as object;
const isValid = (text: string): boolean => Schema.Check(schema, parse(text));
const docs = ['agents.md', 'approvals.md', 'mcp-and-a2a.md'].map((file) =>
  readFileSync(new URL(`../../../../../docs/${file}`, import.meta.url), 'utf8'),
);
const samples = docs.flatMap((page) => Array.from(page.matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)^```$/gm)));

test.each(samples.map(([, path = '', text = '']) => ({ path, text })))('takes the sample $path', ({ text }) => {
  expect(isValid(text)).toBe(true);
});

test.each([
  ['a key that there is not', 'name: a\nmodel: echo/echo\nmodle: x\n'],
  ['a key of another class', 'name: a\nmodel: echo/echo\nmax_iterations: 1\n'],
  ['an unknown class', 'name: a\nagent_class: Swarm\n'],
  ['a workflow without agents', 'name: a\nagent_class: LoopAgent\nsub_agents: []\n'],
  ['a wrong type', 'name: a\nmodel: echo/echo\noutput_key: 1\n'],
  ['an MCP server without args', 'name: a\nmodel: echo/echo\ntools: [{ name: MCPToolset }]\n'],
  ['an unknown key of an MCP server', 'name: a\nmodel: echo/echo\ntools: [{ name: MCPToolset, args: { urls: [] } }]\n'],
  ['no name', 'model: echo/echo\n'],
])('refuses %s', (_, text) => {
  expect(isValid(text)).toBe(false);
});
