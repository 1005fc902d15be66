import { cleanEnv } from 'envalid';
import { expect, test } from 'vitest';
import { appNames, servesApp } from './app-names.ts';

const read = (text: string): string[] =>
  cleanEnv({ RUNS_APPS: text }, { RUNS_APPS: appNames() }, { reporter: fail }).RUNS_APPS;

function fail({ errors }: { errors: Partial<Record<string, Error>> }): void {
  for (const error of Object.values(errors)) if (error !== undefined) throw error;
}

test('RUNS_APPS lists apps, and agents that are records as a whole', () => {
  expect(read('weather, travel ,agent*')).toEqual(['weather', 'travel', 'agent*']);
  expect(() => read('agent12')).toThrow(/not a folder of AGENTS_DIR/);
  expect(() => read('a/b')).toThrow(/not a folder of AGENTS_DIR/);
});

test('a process serves the apps that it names, or all', () => {
  expect(['weather', 'travel', 'agent7'].map((name) => servesApp([], name))).toEqual([true, true, true]);
  expect(['weather', 'travel', 'agent7'].map((name) => servesApp(['weather'], name))).toEqual([true, false, false]);
  expect(servesApp(['agent*'], 'agent7')).toBe(true);
});
