import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Text in a manifest: a string, or parts of which some are repeated (1 MiB is not written out). */
export type Text =
  | string
  | readonly (string | { readonly repeat: string; readonly times: number })[];

/** Where a case has its body from. */
export interface BodySource {
  readonly file?: string;
  readonly body?: Text;
}

/** A folder of vectors: `manifest.json`, `fixtures/` and perhaps a JSON Schema. */
export interface Folder {
  readonly path: string;
  /** The blocks of the manifest by name. */
  readonly blocks: Readonly<Record<string, unknown>>;
  /** The JSON Schema of what a producer may emit, where the folder has one. */
  readonly schema: object | undefined;
  bodyOf(source: BodySource): string;
}

/** Reads the folder; an error says what is missing. */
export function openFolder(path: string): Folder {
  const manifest = join(path, "manifest.json");
  if (!existsSync(manifest)) {
    throw new Error(`${path} is no folder of conformance vectors: it has no manifest.json`);
  }
  const schema = join(path, "schema", "message-envelope.schema.json");
  return {
    path,
    blocks: readObject(manifest) as Record<string, unknown>,
    schema: existsSync(schema) ? readObject(schema) : undefined,
    bodyOf({ file, body }) {
      if (body !== undefined) return textOf(body);
      if (file === undefined) throw new Error("A case needs a file or a body");
      return readFileSync(join(path, file), "utf8");
    },
  };
}

export function textOf(text: Text): string {
  if (typeof text === "string") return text;
  return text
    .map((part) => (typeof part === "string" ? part : part.repeat.repeat(part.times)))
    .join("");
}

function readObject(path: string): object {
  const value: unknown = JSON.parse(readFileSync(path, "utf8"));
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Error(`${path} must hold a JSON object`);
  }
  return value;
}
