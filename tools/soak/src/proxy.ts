import http from "node:http";
import { cut, cutHalf, refuse, respond } from "./answers.js";
import { now, sleep } from "./clock.js";
import { type Fault, faultOf, NO_FAULT } from "./faults.js";
import { merged, split } from "./half-fail.js";
import { type Exchange, type History, type Input, type Output, queueOf } from "./history.js";
import { type Answer, listen, post, readAll } from "./http.js";
import type { Endpoints } from "./server.js";

interface ProxyOptions {
  upstream: Endpoints;
  history: History;
  seed: number;
  faults: boolean;
}

/**
 * The network between the clients and SQS, at its worst. Each client has a path of its own, so that
 * the history can tell them apart.
 */
export class Proxy {
  requests = 0;
  /** Requests that will reach SQS though nobody waits for them. */
  late = 0;
  faults: Record<string, number> = {};
  readonly #options: ProxyOptions;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1000 });
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));

  constructor(options: ProxyOptions) {
    this.#options = options;
    this.#server.keepAliveTimeout = 60_000;
  }

  /** @returns its URL, to which a client adds its name */
  listen(): Promise<string> {
    return listen(this.#server);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  async #handle(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { seed, faults, history } = this.#options;
    const fault = faults ? faultOf(seed, this.requests) : NO_FAULT;
    this.requests += 1;
    try {
      const body = (await readAll(request)).toString();
      const client = (request.url ?? "").split("/")[1] ?? "";
      const operation = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
      const input = JSON.parse(body) as Input;
      const exchange = history.begin(client, operation, input, now());
      if (this.#counts(fault, input)) this.faults[fault.kind] = (this.faults[fault.kind] ?? 0) + 1;
      await this.#carryOut(fault, exchange, response);
    } catch {
      // the client is gone, or was killed in the middle of its request
      response.destroy();
    }
  }

  #counts({ kind, entry }: Fault, input: Input): boolean {
    if (kind === "none") return false;
    return kind !== "halfFail" || (input.Entries ?? []).some((_, index) => entry(index));
  }

  async #carryOut(fault: Fault, exchange: Exchange, response: http.ServerResponse): Promise<void> {
    switch (fault.kind) {
      case "none":
        return this.#answer(exchange, response, await this.#apply(exchange));
      case "cutBefore":
        return cut(response);
      case "cutLate":
        cut(response);
        return this.#applyLate(fault, exchange);
      case "cutAfter":
        await this.#apply(exchange);
        return cut(response);
      case "cutHalf":
        return cutHalf(response, await this.#apply(exchange));
      case "delayBefore":
        await sleep(fault.ms);
        return this.#answer(exchange, response, await this.#apply(exchange));
      case "delayAfter": {
        const answer = await this.#apply(exchange);
        await sleep(fault.ms);
        return this.#answer(exchange, response, answer);
      }
      case "duplicate":
        this.#answer(exchange, response, await this.#apply(exchange));
        return this.#applyLate(fault, exchange);
      case "throttle":
      case "error":
        return refuse(response, fault);
      case "errorAfter":
        await this.#apply(exchange);
        return refuse(response, fault);
      case "hang":
        await sleep(fault.ms);
        return cut(response);
      case "halfFail":
        return this.#halfFail(fault, exchange, response);
    }
  }

  /** Some entries fail: of these, some reach SQS all the same. */
  async #halfFail(fault: Fault, exchange: Exchange, response: http.ServerResponse): Promise<void> {
    const parts = split(exchange.input, fault);
    if (parts.reaching.Entries?.length === 0) {
      respond(response, 200, JSON.stringify({ Failed: parts.failed }));
      return;
    }
    const answer = await this.#apply(exchange, parts.reaching);
    const isMerged = answer.status === 200 && parts.failed.length > 0;
    const body = isMerged ? merged(answer.body, parts.failed) : answer.body;
    this.#answer(exchange, response, { ...answer, body });
  }

  /** The copy that the network kept back. Nobody hears of its answer. */
  async #applyLate({ ms }: Fault, { client, operation, input }: Exchange): Promise<void> {
    this.late += 1;
    try {
      await sleep(ms);
      await this.#apply(this.#options.history.begin(client, operation, input, now(), true));
    } finally {
      this.late -= 1;
    }
  }

  /** @param input what of it reaches SQS; default all */
  async #apply(exchange: Exchange, input: Input = exchange.input): Promise<Answer> {
    const { upstream, history } = this.#options;
    const url = queueOf(input).endsWith(".fifo") ? upstream.fifo : upstream.standard;
    const answer = await post(this.#agent, url, exchange.operation, JSON.stringify(input));
    if (answer.status === 200) {
      const output = JSON.parse(answer.body.toString()) as Output;
      history.apply(exchange, output, Number(answer.headers["x-soak-at"]));
    }
    return answer;
  }

  #answer(
    exchange: Exchange,
    response: http.ServerResponse,
    { status, headers, body }: Answer,
  ): void {
    if (response.destroyed) return;
    const error = headers["x-amzn-query-error"];
    respond(response, status, body, error === undefined ? {} : { "x-amzn-query-error": error });
    if (status !== 200 || exchange.settles.size === 0) return;
    const output = JSON.parse(body.toString()) as Output;
    this.#options.history.confirm(exchange, output, now());
  }
}
