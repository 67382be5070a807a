import type { Block } from "./block.js";
import type { Folder } from "./folder.js";
import { type LeftOut, LISTED_VERSION, leftOut } from "./left-out.js";

/** What a manifest says of itself, besides its sections. */
const ABOUT = new Set(["schema_version", "conformance_version", "description", "exceptions"]);
const VERSION = "conformance_version";
const SECTIONS = "sections";

/** The sections of a manifest: those it lists, and those that are there. */
function sectionsOf({ blocks }: Folder): readonly string[] {
  const listed = Object.keys(blocks[SECTIONS] ?? {});
  const there = Object.keys(blocks).filter((key) => key !== SECTIONS && !ABOUT.has(key));
  return [...new Set([...listed, ...there])];
}

/** Sections that nobody here has heard of: a new suite must not be skipped in silence. */
export function unknownSections(
  folder: Folder,
  blocks: readonly Block[],
  list: readonly LeftOut[] = leftOut,
): readonly string[] {
  const whole = list.filter(({ cases }) => cases === undefined);
  const known = new Set([
    ...blocks.map(({ key }) => key),
    ...whole.flatMap(({ sections }) => sections),
  ]);
  return sectionsOf(folder).filter((section) => !known.has(section));
}

/** What is listed as left out and is not in the manifest, where the list is made for it. */
export function staleEntries(
  folder: Folder,
  list: readonly LeftOut[] = leftOut,
): readonly string[] {
  if (folder.blocks[VERSION] !== LISTED_VERSION) return [];
  const there = new Set(sectionsOf(folder));
  return list.flatMap(({ sections, cases }) =>
    sections.flatMap((section) => {
      if (!there.has(section)) return [section];
      const text = JSON.stringify(folder.blocks[section]);
      return (cases ?? [])
        .filter((name) => !text.includes(JSON.stringify({ name }).slice(1, -1)))
        .map((name) => `${section}: ${name}`);
    }),
  );
}

/** The cases of a section without those that are left out. */
export function runnable<TCase extends { readonly name: string }>(
  section: string,
  cases: readonly TCase[],
  list: readonly LeftOut[] = leftOut,
): readonly TCase[] {
  const names = new Set(
    list.flatMap(({ sections, cases: left = [] }) => (sections.includes(section) ? left : [])),
  );
  return cases.filter(({ name }) => !names.has(name));
}

/** A line for each reason that something of the manifest is left out for. */
export function leftOutLines(
  { blocks }: Folder,
  list: readonly LeftOut[] = leftOut,
): readonly string[] {
  return list.flatMap(({ why, sections, cases }) => {
    const there = sections.filter((section) => Object.hasOwn(blocks, section));
    const named = there.map((section) =>
      cases === undefined ? section : `${section} (${cases.join(", ")})`,
    );
    return there.length === 0 ? [] : [`left out: ${named.join(", ")}: ${why}`];
  });
}
