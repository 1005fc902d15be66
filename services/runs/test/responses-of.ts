import type { Viewer } from '../src/execution/viewer.ts';

type Response = NonNullable<Awaited<ReturnType<Viewer['next']>>>;

/** The responses that a viewer gets. Leaving the loop closes the viewer. */
export async function* responsesOf(viewer: Viewer): AsyncGenerator<Response> {
  try {
    for (let next = await viewer.next(); next !== undefined; next = await viewer.next()) yield next;
  } finally {
    viewer.close();
  }
}
