import { FunctionTool, LlmAgent } from '@google/adk';
import { z } from 'zod';
import { findCity, weatherAt } from './forecast.ts';

const getWeather = new FunctionTool({
  name: 'get_weather',
  description: 'Tells the weather of the next hours in a city.',
  parameters: z.object({ city: z.string().describe('name of the city, e.g. Rome') }),
  async execute({ city }, context) {
    const place = await findCity(city, context?.abortSignal);
    if (place === undefined) return { error: `There is no city "${city}".` };
    context?.state.set('user:city', place.name);
    return weatherAt(place, context?.abortSignal);
  },
});

const convertTemperature = new FunctionTool({
  name: 'convert_temperature',
  description: 'Converts degrees Celsius to Fahrenheit.',
  parameters: z.object({ celsius: z.number() }),
  execute: ({ celsius }) => ({ fahrenheit: Math.round(celsius * 1.8 + 32) }),
});

/** The agent that the server runs. `echo/echo` needs no key: name a model of yours, e.g. openai/gpt-5-mini. */
export const rootAgent = new LlmAgent({
  name: 'weather',
  model: 'echo/echo',
  description: 'Tells the weather, in code.',
  instruction: 'Tell the weather in one sentence. Without a city in the question, ask about {user:city?}.',
  tools: [getWeather, convertTemperature],
});
