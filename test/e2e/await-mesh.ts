import { inject } from 'vitest';

const answer = await fetch(inject('meshStart'));
if (!answer.ok) throw new Error(`the mesh of the end-to-end tests did not start: ${await answer.text()}`);
