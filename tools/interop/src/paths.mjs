// Where the programs of the peers and servers lie, and what is installed for them.
import { fileURLToPath } from "node:url";

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

export const README = here("README.md");

/** @param {string} name */
export const peerFile = (name) => here(`peers/${name}`);

/** @param {string} name */
export const serverFile = (name) => here(`servers/${name}`);

/** Ignored by git; a run that finds it filled is quick. @param {string} name */
export const cacheFile = (name) => here(`.cache/${name}`);

/** A file of a package that pnpm has installed here. @param {string} name */
export const installedFile = (name) => here(`node_modules/${name}`);
