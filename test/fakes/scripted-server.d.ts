import { type IncomingMessage } from 'node:http';
/** Bytes as they are: quirks, garbage, HTML, what breaks off. */
export interface FakeBody {
  readonly status?: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What follows the body: the end (default), a broken connection, or silence. */
  readonly after?: 'end' | 'break' | 'hang';
}
/** `hang` accepts the request and never answers; `break` drops the connection. */
export type FakeBytes = FakeBody | 'hang' | 'break';
/** An HTTP server that judges what it is asked and answers as it was told. */
export interface ScriptedServer<Request, Answer> extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  /** The requests that were found right, oldest first. */
  readonly requests: readonly Request[];
  /** How many requests came in, right or wrong. */
  readonly received: number;
  /** How many answers are still open: their caller has neither got the end nor gone. */
  readonly hanging: number;
  /** Queues what the next right requests are answered with, one each; then the fake says `ok`. */
  answer(...answers: readonly (Answer | FakeBytes)[]): void;
  /** Drops what is queued. */
  forget(): void;
}
export interface Script<Request, Answer> {
  /** Reads a request, or refuses it as the vendor does. */
  readonly read: (
    request: IncomingMessage,
    body: string,
  ) =>
    | {
        right: Request;
      }
    | {
        wrong: FakeBody;
      };
  readonly print: (answer: Answer, request: Request) => FakeBody;
  /** The answer when none is queued. */
  readonly ok: Answer;
}
/** Starts a server on a free port of the loopback. */
export declare function startScriptedServer<Request, Answer extends object>({
  read,
  print,
  ok,
}: Script<Request, Answer>): Promise<ScriptedServer<Request, Answer>>;
/** A JSON body. */
export declare function json(body: unknown, status?: number, headers?: Readonly<Record<string, string>>): FakeBody;
/** A body of server-sent events. */
export declare function sse(frames: readonly string[]): FakeBody;
