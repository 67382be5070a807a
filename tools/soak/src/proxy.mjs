import http from "node:http";
import { cut, cutHalf, refuse, respond } from "./answers.mjs";
import { now, sleep } from "./clock.mjs";
import { faultOf, NO_FAULT } from "./faults.mjs";
import { merged, split } from "./half-fail.mjs";
import { queueOf } from "./history.mjs";
import { listen, post, readAll } from "./http.mjs";

/**
 * @typedef {import("./faults.mjs").Fault} Fault
 * @typedef {import("./history.mjs").Exchange} Exchange
 * @typedef {import("./history.mjs").Input} Input
 * @typedef {import("./history.mjs").Output} Output
 * @typedef {import("./http.mjs").Answer} Answer
 *
 * @typedef {object} ProxyOptions
 * @property {import("./server.mjs").Endpoints} upstream
 * @property {import("./history.mjs").History} history
 * @property {number} seed
 * @property {boolean} faults
 */

/**
 * The network between the clients and SQS, at its worst. Each client has a path of its own, so that
 * the history can tell them apart.
 */
export class Proxy {
  requests = 0;
  /** Requests that will reach SQS though nobody waits for them. */
  late = 0;
  /** @type {Record<string, number>} */
  faults = {};
  #options;
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1000 });
  #server = http.createServer((request, response) => void this.#handle(request, response));

  /** @param {ProxyOptions} options */
  constructor(options) {
    this.#options = options;
    this.#server.keepAliveTimeout = 60_000;
  }

  /** @returns {Promise<string>} its URL, to which a client adds its name */
  listen() {
    return listen(this.#server);
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
    this.#agent.destroy();
  }

  /**
   * @param {http.IncomingMessage} request
   * @param {http.ServerResponse} response
   */
  async #handle(request, response) {
    const { seed, faults, history } = this.#options;
    const fault = faults ? faultOf(seed, this.requests) : NO_FAULT;
    this.requests += 1;
    try {
      const body = (await readAll(request)).toString();
      const client = (request.url ?? "").split("/")[1] ?? "";
      const operation = String(request.headers["x-amz-target"]).replace("AmazonSQS.", "");
      const input = /** @type {Input} */ (JSON.parse(body));
      const exchange = history.begin(client, operation, input, now());
      if (this.#counts(fault, input)) this.faults[fault.kind] = (this.faults[fault.kind] ?? 0) + 1;
      await this.#carryOut(fault, exchange, response);
    } catch {
      // the client is gone, or was killed in the middle of its request
      response.destroy();
    }
  }

  /**
   * @param {Fault} fault
   * @param {Input} input
   */
  #counts({ kind, entry }, input) {
    if (kind === "none") return false;
    return kind !== "halfFail" || (input.Entries ?? []).some((_, index) => entry(index));
  }

  /**
   * @param {Fault} fault
   * @param {Exchange} exchange
   * @param {http.ServerResponse} response
   */
  async #carryOut(fault, exchange, response) {
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

  /**
   * Some entries fail: of these, some reach SQS all the same.
   *
   * @param {Fault} fault
   * @param {Exchange} exchange
   * @param {http.ServerResponse} response
   */
  async #halfFail(fault, exchange, response) {
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

  /**
   * The copy that the network kept back. Nobody hears of its answer.
   *
   * @param {Fault} fault
   * @param {Exchange} exchange
   */
  async #applyLate({ ms }, { client, operation, input }) {
    this.late += 1;
    try {
      await sleep(ms);
      await this.#apply(this.#options.history.begin(client, operation, input, now(), true));
    } finally {
      this.late -= 1;
    }
  }

  /**
   * @param {Exchange} exchange
   * @param {Input} [input] what of it reaches SQS; default all
   * @returns {Promise<Answer>}
   */
  async #apply(exchange, input = exchange.input) {
    const { upstream, history } = this.#options;
    const url = queueOf(input).endsWith(".fifo") ? upstream.fifo : upstream.standard;
    const answer = await post(this.#agent, url, exchange.operation, JSON.stringify(input));
    if (answer.status === 200) {
      const output = /** @type {Output} */ (JSON.parse(answer.body.toString()));
      history.apply(exchange, output, Number(answer.headers["x-soak-at"]));
    }
    return answer;
  }

  /**
   * @param {Exchange} exchange
   * @param {http.ServerResponse} response
   * @param {Answer} answer
   */
  #answer(exchange, response, { status, headers, body }) {
    if (response.destroyed) return;
    const error = headers["x-amzn-query-error"];
    respond(response, status, body, error === undefined ? {} : { "x-amzn-query-error": error });
    if (status !== 200 || exchange.settles.size === 0) return;
    const output = /** @type {Output} */ (JSON.parse(body.toString()));
    this.#options.history.confirm(exchange, output, now());
  }
}
