import type { Folder } from "./folder.js";

/** Runs one block of a manifest: defines a test for each of its cases. */
export interface Block {
  /** The name of the block in the manifest. Several runners may read the same one. */
  readonly key: string;
  /** What is under test, for the output. */
  readonly subject: string;
  readonly define: (data: unknown, folder: Folder) => void;
}

interface BlockDefinition<TData> {
  readonly key: string;
  readonly subject: string;
  readonly define: (data: TData, folder: Folder) => void;
}

/** `TData` is what the block's format promises; nothing checks it but the tests themselves. */
export function block<TData>({ key, subject, define }: BlockDefinition<TData>): Block {
  return { key, subject, define: (data, folder) => define(data as TData, folder) };
}

/** The runners for what the manifest holds. What has none must be in `left-out.ts`. */
export function runnersFor(folder: Folder, blocks: readonly Block[]): readonly Block[] {
  const runners = blocks.filter(({ key }) => Object.hasOwn(folder.blocks, key));
  if (runners.length > 0) return runners;
  const known = [...new Set(blocks.map(({ key }) => key))].join(", ");
  throw new Error(`The manifest in ${folder.path} has none of the known blocks: ${known}`);
}
