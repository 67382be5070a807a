import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, type RedisClientType } from "@redis/client";

const PROGRAM = process.env["REDIS_SERVER"] ?? "redis-server";

/** Why the tests that need a server are skipped; undefined where they are not. */
export const whySkipped: string | undefined =
  spawnSync(PROGRAM, ["--version"]).status === 0
    ? undefined
    : `no ${PROGRAM} here; install Debian's package redis-server, or set REDIS_SERVER`;

/** A Redis server of the test's own: a free port of the loopback interface, a temporary folder. */
export class RedisServer {
  readonly port: number;
  readonly #dir: string;
  readonly #isPersistent: boolean;
  #process: ChildProcess | undefined;

  private constructor(port: number, isPersistent: boolean) {
    this.port = port;
    this.#dir = mkdtempSync(join(tmpdir(), "redis-transport-"));
    this.#isPersistent = isPersistent;
  }

  /** `isPersistent`: what it was told survives a kill. */
  static async start({ isPersistent = false } = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), isPersistent);
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const persistence = this.#isPersistent
      ? ["--appendonly", "yes", "--appendfsync", "always"]
      : ["--appendonly", "no"];
    this.#process = spawn(
      PROGRAM,
      [
        ...["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.#dir],
        ...["--save", "", "--daemonize", "no", ...persistence],
      ],
      { stdio: "ignore" },
    );
    const client = this.client();
    try {
      await client.connect();
      // it answers with an error while it loads what it had
      while ((await client.ping().catch(() => "")) !== "PONG") await sleep(10);
    } finally {
      client.destroy();
    }
  }

  /** A client that tries again until it is connected, and says nothing of it. */
  client(): RedisClientType {
    const socket = { host: "127.0.0.1", port: this.port, reconnectStrategy: 20 };
    const client: RedisClientType = createClient({ socket });
    client.on("error", () => undefined);
    return client;
  }

  /** As a crash of the machine does. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => {
      child.once("exit", resolve);
    });
    child.kill("SIGKILL");
    await gone;
    this.#process = undefined;
  }

  async close(): Promise<void> {
    await this.kill();
    rmSync(this.#dir, { recursive: true, force: true });
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
