// Says whether a mesh answers: `node probe.mjs http://gateway:8000`. Ends with 1 and the reason when it is not ready.
const [address] = process.argv.slice(2);
for (const path of ['/readyz', '/version']) {
  const answer = await fetch(new URL(path, address), { signal: AbortSignal.timeout(10_000) });
  process.stdout.write(`${path} ${answer.status} ${await answer.text()}\n`);
  if (!answer.ok) process.exitCode = 1;
}
