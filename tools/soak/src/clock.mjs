/**
 * Milliseconds on the machine's monotonic clock, which all processes of the soak share: what one of
 * them writes down can be ordered against what another does.
 */
export function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/**
 * @param {number} ms
 * @returns {Promise<void>}
 */
export function sleep(ms) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
