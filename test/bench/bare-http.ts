import { createServer } from 'node:http';

/** The least that a JSON server in Node does: reads a body, parses it and answers it. */
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  request.once('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(JSON.parse(text || 'null')));
  });
});
server.listen(Number(process.argv[2]), '127.0.0.1');
