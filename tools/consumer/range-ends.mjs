import semver from "semver";

/** @typedef {{ version: string, engines?: { node?: string } }} Published a version as npm shows it */

/**
 * Of the versions in a range the lowest, and the newest whose `engines` admit a version of Node;
 * `tooNew` is the newest of all, if they do not admit it.
 *
 * @param {readonly Published[]} versions
 * @param {string} node
 */
export function rangeEnds(versions, node) {
  const sorted = [...versions].sort((a, b) => semver.compare(a.version, b.version));
  const admitted = sorted.filter(({ engines }) => semver.satisfies(node, engines?.node ?? "*"));
  const [lowest, newest, newestOfAll] = [sorted.at(0), admitted.at(-1), sorted.at(-1)];
  if (lowest === undefined || newest === undefined) {
    throw new Error(`Node ${node} runs none of ${JSON.stringify(sorted)}`);
  }
  return {
    lowest: lowest.version,
    newest: newest.version,
    tooNew: newest === newestOfAll ? undefined : newestOfAll,
  };
}
