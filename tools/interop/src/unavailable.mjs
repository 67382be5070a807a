// What is left out of a run, and why: a registry that does not serve it, a toolchain that is missing.

export class Unavailable extends Error {
  /** @override */
  name = "Unavailable";
}

/**
 * @template T
 * @typedef {{ ready: T[], missing: { name: string, why: string }[], broken: { name: string, why: string }[] }} Prepared
 */

/**
 * Prepares all at a time.
 *
 * @template T
 * @param {readonly { name: string, prepare: () => Promise<T> }[]} all
 * @returns {Promise<Prepared<T>>}
 */
export async function prepareAll(all) {
  /** @type {Prepared<T>} */
  const prepared = { ready: [], missing: [], broken: [] };
  const results = await Promise.allSettled(all.map(({ prepare }) => prepare()));
  for (const [index, result] of results.entries()) {
    const name = all[index]?.name ?? "";
    if (result.status === "fulfilled") {
      prepared.ready.push(result.value);
    } else {
      /** @type {unknown} */
      const reason = result.reason;
      const why = reason instanceof Error ? reason.message : String(reason);
      const list = reason instanceof Unavailable ? prepared.missing : prepared.broken;
      list.push({ name, why });
    }
  }
  return prepared;
}
