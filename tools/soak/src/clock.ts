/**
 * Milliseconds on the machine's monotonic clock, which all processes of the soak share: what one of
 * them writes down can be ordered against what another does.
 */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
