import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgentFaults } from '../agent-fault.ts';
import { readFields } from '../read-fields.ts';
import { printAgent } from './print-agent.ts';
import { readAgent } from './read-agent.ts';

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a: b', '- x', '#', '"', '|', 'null', '1', 'yes', ' \n '),
);
const config = fc.record(
  {
    temperature: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0)),
    seed: fc.nat(),
    stop_sequences: fc.array(text),
  },
  { requiredKeys: [] },
);
const common = {
  agent_name: fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((name) => name.trim() !== '' && !/\p{Cc}/u.test(name)),
  agent_model: fc.constantFrom('echo/echo', ['openai/gpt-5-mini', 'gemini/gemini-2.5-flash']),
  agent_description: text,
  agent_instruction: text,
};
const kept = {
  tags: fc.array(fc.oneof(text, fc.integer())),
  loop_exit_instruction: text,
  memory_enabled: fc.boolean(),
  output_schema_name: text,
  agent_model_params: fc.record(
    {
      temperature: fc.constantFrom(0, 0.5, 1),
      max_tokens: fc.nat(),
      stop: text,
      model_api_key: fc.constant('saved:apikey7'),
      other: text,
    },
    { requiredKeys: [] },
  ),
};
const server = fc.record(
  {
    url: fc.constantFrom('https://mcp.example.com/a', 'https://mcp.example.com/b?c=d'),
    transport: fc.constant('sse'),
    headers: fc.constant({ 'x-a': 'b' }),
    timeout: fc.integer({ min: 1, max: 9 }),
    tool_filter: fc.array(fc.constantFrom('a', 'b')),
    tool_name_prefix: fc.constant('p'),
    state_header_mapping: fc.constant({ 'user:t': 'x-t' }),
    api_key: fc.constant('saved:apikey7'),
    require_confirmation: fc.boolean(),
  },
  { requiredKeys: ['url'] },
);
const llm = fc
  .record(
    {
      ...common,
      ...kept,
      agent_type: fc.constantFrom('llm', 'base'),
      agent_tools: fc.subarray(['http_get', 'set_state', 'load_memory']),
      mcp_servers: fc.array(server, { maxLength: 3 }),
      generate_content_config: config,
      output_key: text.filter((key) => key !== ''),
      include_contents: fc.constantFrom('default', 'none'),
      disallow_transfer_to_parent: fc.boolean(),
      sub_agents: fc.constantFrom([], ['agent2', 'agent3']),
    },
    { requiredKeys: ['agent_name', 'agent_model', 'agent_description', 'agent_instruction', 'agent_type'] },
  )
  .map(({ agent_tools: tools = [], ...rest }) => ({
    ...rest,
    agent_tools: tools,
    ...(tools.length > 1 && { confirm_tools: tools.slice(1) }),
  }));

const workflow = fc.record(
  {
    ...common,
    ...kept,
    agent_model: fc.constantFrom('', 'echo/echo'),
    agent_type: fc.constantFrom('sequential', 'parallel', 'loop'),
    sub_agents: fc.constant(['agent2']),
    agent_tools: fc.constant(['http_get']),
    loop_max_iterations: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: ['agent_name', 'agent_model', 'agent_description', 'agent_instruction', 'agent_type', 'sub_agents'] },
);

/** Empty lists and maps count like absent ones. */
function essence(fields: object): object {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

test('fields that are printed as YAML are read again without loss', () => {
  fc.assert(
    fc.property(fc.oneof(llm, workflow), (input) => {
      const fields = readFields(input);
      const again = readAgent(printAgent(fields), new Map(), () => []);
      expect(essence(again)).toEqual(essence(fields));
    }),
    { numRuns: 300 },
  );
});

test('a setting that stands in both places is read again in both', () => {
  const fields = readFields({
    agent_name: 'a',
    agent_model: 'echo/echo',
    agent_description: '',
    agent_instruction: '',
    agent_type: 'llm',
    agent_model_params: { stop: 'null', temperature: 1 },
    generate_content_config: { stop_sequences: ['null'], seed: 1 },
  });
  expect(readAgent(printAgent(fields), new Map())).toEqual(fields);
});

test('an escape in YAML for what PostgreSQL cannot store is refused with its place', () => {
  const texts = ['a\\0', 'a\\ud83d'].map(
    (output) => `name: a\nmodel: echo/echo\ninstruction: ""\noutput_key: "${output}"\n`,
  );
  for (const text of texts) {
    expect(() => readAgent(text, new Map())).toThrowError(
      expect.objectContaining({ faults: [expect.objectContaining({ path: ['output_key'] })] }),
    );
  }
});

test('any text is read, or refused with faults', () => {
  fc.assert(
    fc.property(fc.oneof(text, fc.json(), fc.string({ unit: 'binary' })), (input) => {
      try {
        readAgent(input, new Map());
      } catch (error) {
        expect(error).toBeInstanceOf(AgentFaults);
      }
    }),
  );
});
